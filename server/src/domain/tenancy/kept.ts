/** Which tables of this module expire, and how. */
import type { Kept } from '../../platform/kept.ts'

export const keptByTenancy: readonly Kept[] = [{ table: 'key_counts', goes: 'by row' }]
