/** One check looks at one thing, and has nothing to say where all is well. */
import type { AttentionAnswer } from '@countersign/contract'
import type { Clock } from '../../../platform/clock.ts'
import type { Database } from '../../../platform/database.ts'
import type { Keyring } from '../../../platform/keyring.ts'
import type { ReadPrices } from '../../billing/index.ts'
import type { Reputation } from '../../guard/index.ts'
import type { Providers } from '../../routing/index.ts'
import type { App } from '../../tenancy/index.ts'

export interface AttentionDependencies {
  readonly database: Database
  readonly clock: Clock
  readonly keyring: () => Keyring
  readonly prices: ReadPrices
  readonly providers: Providers
  readonly reputation: Reputation
}

export type Item = AttentionAnswer['items'][number]
export type Check = (dependencies: AttentionDependencies, app: App) => Promise<Item[]>

export const iso = (date: Date | null) => date?.toISOString() ?? null
