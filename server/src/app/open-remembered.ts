/** Opens the caches of what rarely changes; they are cleared when somebody has changed it. */
import type { AccountChoice } from '@countersign/contract'
import { createPriceReader, type ReadPrices } from '../domain/billing/index.ts'
import { createDirectory, type Directory, KeyUses, type Principal } from '../domain/tenancy/index.ts'
import type { DatabaseClock } from '../platform/clock.ts'
import { ConfigError } from '../platform/config-error.ts'
import { type Database, isUnavailable } from '../platform/database.ts'
import { describeError, type Warn } from '../platform/log.ts'
import { ChangeWatch } from '../platform/remember.ts'
import type { Opening } from './opening.ts'

interface Dependencies {
  readonly database: Database
  readonly clock: DatabaseClock
  readonly warn: Warn
  /** Reads again what is kept loaded, such as keys and providers. */
  readonly reload: () => Promise<void>
}

export interface Remembered {
  readonly directory: Directory
  readonly noteKeyError: (principal: Principal) => void
  readonly prices: ReadPrices
  /** How accounts are chosen for an app that does not set it. */
  readonly routingAccounts: AccountChoice
  /** Clears the caches, so that this node sees its own changes before the next poll. */
  readonly forget: () => void
}

export async function openRemembered(
  { options, closers }: Opening,
  { database, clock, warn, reload }: Dependencies,
): Promise<Remembered> {
  const { log, routingAccounts } = options
  // Three polls a second fail for the same reason, so each is logged once, until changes are read again.
  const said = new Set<string>()
  const watch = new ChangeWatch(
    database,
    clock,
    async () => {
      await reload()
      said.clear()
    },
    (error) => {
      // An unavailable database is reported elsewhere.
      if (isUnavailable(error)) return
      const [level, what] =
        error instanceof ConfigError
          ? (['error', 'MASTER_KEY no longer opens the data keys'] as const)
          : (['warn', 'reading the changes failed'] as const)
      if (said.has(what)) return
      said.add(what)
      log(level, what, describeError(error))
    },
  )
  closers.add('connections', 'changes', () => watch.close())
  await watch.start()
  const keyUses = new KeyUses(database, clock, (error) =>
    warn('when keys were used could not be written', error),
  )
  closers.add('connections', 'uses of keys', () => keyUses.close())
  return {
    directory: createDirectory(database, watch, (principal) => keyUses.note(principal), routingAccounts),
    noteKeyError: (principal) => keyUses.noteError(principal),
    prices: createPriceReader(database, watch),
    routingAccounts,
    forget: watch.forget,
  }
}
