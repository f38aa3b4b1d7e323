/** An error that a caller with a key got: which call, what it was told, and nothing of what it sent. */
import type { AppId, CompanyId, KeyId } from '../../../platform/ids.ts'

export interface CallError {
  readonly companyId: CompanyId
  readonly appId: AppId
  readonly keyId: KeyId
  /** Method and path as they are documented, without ids. */
  readonly endpoint: string
  readonly status: number
  readonly type: string
  readonly message: string
  readonly details: Readonly<Record<string, unknown>>
  readonly requestId: string
  readonly atMs: number
}

/** When it was is known to whom it is told: a node's own clock may be wrong. */
export type NoteCallError = (error: Omit<CallError, 'atMs'>) => void

/** The last ones of a kind are kept in full; of all others only how many there were. */
export const keptOfKind = 100
export const keptDays = 30
