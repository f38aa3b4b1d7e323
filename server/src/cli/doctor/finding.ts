/** A check looks at one thing and reports what it found and, for a fault, how to fix it. */
import type { Config } from '../../config.ts'
import type { Database } from '../../platform/database.ts'

export interface Finding {
  readonly name: string
  readonly status: 'ok' | 'warning' | 'fault'
  /** What was found, as a sentence. */
  readonly says: string
  /** What to do; null if nothing. */
  readonly mend: string | null
}

export const ok = (name: string, says: string): Finding => ({ name, status: 'ok', says, mend: null })
export const warning = (name: string, says: string, mend: string): Finding => ({
  name,
  status: 'warning',
  says,
  mend,
})
export const fault = (name: string, says: string, mend: string): Finding => ({
  name,
  status: 'fault',
  says,
  mend,
})

export interface Patient {
  readonly config: Config
  readonly database: Database
  readonly migrationsFolder: string
}

export type Check = (patient: Patient) => Promise<readonly Finding[]>
