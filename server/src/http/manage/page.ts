import type { PageQuery } from '@countersign/contract'
import type { PageRequest } from '../../domain/answers/index.ts'

export const pageOf = ({ cursor, limit }: PageQuery): PageRequest => ({ cursor: cursor ?? null, limit })
