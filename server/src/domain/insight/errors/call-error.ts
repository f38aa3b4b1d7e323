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

/** The time is left out: the receiver adds it by the database's clock. */
export type NoteCallError = (error: Omit<CallError, 'atMs'>) => void

/** How many errors of a kind are kept in full; the others are only counted. */
export const keptOfKind = 100
export const keptDays = 30
