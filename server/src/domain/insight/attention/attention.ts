/** A check looks at one thing, and returns nothing if all is well. */
import { type AttentionAnswer, alertDefaults } from '@countersign/contract'
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

export type Item = AttentionAnswer['items'][number] & {
  /** What the item is about: an app, an account, a list. No two items of a kind have the same subject. */
  readonly subject: string
}

/** The values from which on something needs attention. */
export interface Thresholds {
  /** How many days the balance lasts. */
  readonly daysLeft: number
  /** How many minutes an account has been failing. */
  readonly failingMinutes: number
  /** How many percent the conversion is below the usual one. */
  readonly dropPercent: number
  /** How many percent of a spend cap are used. */
  readonly capPercent: number
  /** For how many days ahead there are partitions. */
  readonly partitionDays: number
}

export const usualThresholds: Thresholds = {
  daysLeft: alertDefaults.low_balance,
  failingMinutes: alertDefaults.failing_provider,
  dropPercent: alertDefaults.conversion_drop,
  capPercent: alertDefaults.spend_cap,
  partitionDays: alertDefaults.partitions_short,
}

export type Check = (dependencies: AttentionDependencies, app: App, thresholds: Thresholds) => Promise<Item[]>

/** Items that stop people come before those that may; items of equal severity keep their order. */
export const criticalFirst = <One extends Pick<Item, 'severity'>>(items: readonly One[]): One[] =>
  items.toSorted(
    (left, right) => Number(right.severity === 'critical') - Number(left.severity === 'critical'),
  )

export const iso = (date: Date | null) => date?.toISOString() ?? null
