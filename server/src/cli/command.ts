/** The types that all commands of the command line share. */
import type { Config } from '../config.ts'
import type { Clock } from '../platform/clock.ts'
import type { Database } from '../platform/database.ts'
import type { CompanyId } from '../platform/ids.ts'
import type { Keyring } from '../platform/keyring.ts'

/** The exit codes of the program, for scripts and timers. */
export const exits = {
  done: 0,
  /** The command ran and the answer is no: refused, a wrong code, a fault that was found. */
  no: 1,
  /** The arguments or the settings are wrong; nothing was tried. */
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

/** The input of commands that need no database, or find one themselves. */
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
type OptionName = Exclude<keyof typeof optionTypes, 'help' | 'version' | 'json'>
export type Options = {
  readonly [Name in keyof typeof optionTypes]?: (typeof optionTypes)[Name]['type'] extends 'boolean'
    ? boolean
    : string
}

export interface Printed {
  /** The output for people. */
  readonly text: string
  /** The output for programs, which `--json` prints. */
  readonly data: Readonly<Record<string, unknown>>
  readonly exit?: Exit
  /** The company that the command has created, whose audit trail begins with this command. */
  readonly companyId?: CompanyId
}

interface Described {
  /** The words that follow the command's name; further words are refused. */
  readonly words: readonly string[]
  /** Required options, as they are typed. */
  readonly neededOptions?: string
  /** At most half a line long. */
  readonly summary: string
  /** What else one should know, in whole sentences. */
  readonly details?: readonly string[]
  readonly options?: Partial<Readonly<Record<OptionName, string>>>
}

export interface DatabaseCommand extends Described {
  readonly needs: 'database'
  /** Whether it changes nothing, and so is not recorded in the audit trail. */
  readonly isReading?: true | ((options: Options) => boolean)
  /** Checks the arguments before anything is opened, and returns the function that does the work. */
  readonly read: (
    words: readonly string[],
    options: Options,
  ) => (surroundings: Surroundings) => Promise<Printed>
}

interface OutsideCommand extends Described {
  readonly needs: 'nothing'
  readonly run: (outside: Outside, words: readonly string[], options: Options) => Promise<Printed>
}

export type Command = DatabaseCommand | OutsideCommand
export type Commands = Readonly<Record<string, Command>>
