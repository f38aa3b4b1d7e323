/** What every command of the command line gets and gives. */
import type { Config } from '../config.ts'
import type { Clock } from '../platform/clock.ts'
import type { Database } from '../platform/database.ts'
import type { Keyring } from '../platform/keyring.ts'

export class UsageError extends Error {}

export interface Surroundings {
  readonly config: Config
  readonly database: Database
  readonly clock: Clock
  readonly keyring: () => Keyring
}

export interface Options {
  readonly balance: string
  readonly company?: string
  readonly json?: boolean
  readonly new?: boolean
  readonly member?: boolean
  readonly now?: boolean
}

export interface Printed {
  readonly text: string
  readonly exitCode: 0 | 1
}

export interface Command {
  /** Whether it changes nothing, so that the audit trail does not have it. */
  readonly isReading?: true | ((options: Options) => boolean)
  readonly run: (
    surroundings: Surroundings,
    words: readonly string[],
    options: Options,
  ) => Promise<string | Printed>
}
