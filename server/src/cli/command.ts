/** What every command of the command line gets and gives. */
import type { Config } from '../config.ts'
import type { Clock } from '../platform/clock.ts'
import type { Database } from '../platform/database.ts'
import type { CompanyId } from '../platform/ids.ts'
import type { Keyring } from '../platform/keyring.ts'

/** The exit codes of the program, for scripts and timers. */
export const exits = {
  done: 0,
  /** It ran and the answer is no: refused, a wrong code, a fault that was found. */
  no: 1,
  /** The arguments or the settings are wrong: nothing was tried. */
  usage: 2,
  /** The database or the service cannot be reached. */
  away: 3,
} as const
export type Exit = (typeof exits)[keyof typeof exits]

/** Wrong arguments. */
export class UsageError extends Error {}
/** The database or the service does not answer. */
export class AwayError extends Error {}

export type Environment = Readonly<Record<string, string | undefined>>

/** For commands that work without a database, or look for one themselves. */
export interface Outside {
  readonly config: () => Config
  readonly environment: Environment
}

export interface Surroundings {
  readonly config: Config
  readonly database: Database
  readonly clock: Clock
  readonly keyring: () => Keyring
}

export const optionTypes = {
  account: { type: 'string' },
  app: { type: 'string' },
  balance: { type: 'string' },
  company: { type: 'string' },
  country: { type: 'string' },
  ip: { type: 'string' },
  json: { type: 'boolean' },
  key: { type: 'string' },
  locale: { type: 'string' },
  member: { type: 'boolean' },
  new: { type: 'boolean' },
  now: { type: 'boolean' },
  'skip-receipt': { type: 'boolean' },
  to: { type: 'string' },
  url: { type: 'string' },
  help: { type: 'boolean', short: 'h' },
  version: { type: 'boolean', short: 'v' },
} as const
export type OptionName = Exclude<keyof typeof optionTypes, 'help' | 'version' | 'json'>
export type Options = {
  readonly [Name in keyof typeof optionTypes]?: (typeof optionTypes)[Name]['type'] extends 'boolean'
    ? boolean
    : string
}

export interface Printed {
  /** For people. */
  readonly text: string
  /** For machines: what `--json` prints. */
  readonly data: Readonly<Record<string, unknown>>
  readonly exit?: Exit
  /** The company that the command has made, whose audit trail begins with it. */
  readonly companyId?: CompanyId
}

interface Described {
  /** What follows the command's name; more than these is refused. */
  readonly words: readonly string[]
  /** Required options, as they are written. */
  readonly neededOptions?: string
  /** At most half a line long. */
  readonly summary: string
  /** What else one should know, as whole sentences. */
  readonly details?: readonly string[]
  readonly options?: Partial<Readonly<Record<OptionName, string>>>
}

export interface DatabaseCommand extends Described {
  readonly needs: 'database'
  /** Whether it changes nothing, so that it is not in the audit trail. */
  readonly isReading?: true | ((options: Options) => boolean)
  /** Checks the arguments before anything is opened, and returns what is to be done. */
  readonly read: (
    words: readonly string[],
    options: Options,
  ) => (surroundings: Surroundings) => Promise<Printed>
}

export interface OutsideCommand extends Described {
  readonly needs: 'nothing'
  readonly run: (outside: Outside, words: readonly string[], options: Options) => Promise<Printed>
}

export type Command = DatabaseCommand | OutsideCommand
export type Commands = Readonly<Record<string, Command>>
