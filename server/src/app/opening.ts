/** What every part of an app is opened with. */
import type { AccountChoice } from '@countersign/contract'
import type { Receipt } from '../channels/channel.ts'
import type { AnyKind } from '../channels/index.ts'
import type { CanaryPlan } from '../config/environment.ts'
import type { Role, TraceOptions } from '../config.ts'
import type { Provider } from '../domain/routing/index.ts'
import type { Closers } from '../platform/closers.ts'
import type { MasterKeys } from '../platform/data-keys.ts'
import type { Log } from '../platform/log.ts'
import type { Metrics } from '../platform/metrics.ts'
import type { Sessions } from '../platform/pooler.ts'
import type { SafeDoorOptions } from '../platform/safe-post.ts'
import type { Calls } from './calls.ts'

export interface AppOptions {
  readonly databaseUrl: string
  /** A standby for lists and figures; absent or null: they are read from the primary. */
  readonly databaseReadUrl?: string | null
  readonly databaseConnections: number
  /** What connections keep, where there is a pooler. */
  readonly sessions?: Sessions | undefined
  readonly masterKeys: MasterKeys
  readonly adminToken: string
  readonly publicUrl: string
  /** Where accounts that are not in the database are called back. */
  readonly localUrl: string
  /** The built dashboard; null: the API alone. */
  readonly dashboardFolder: string | null
  /** The built site of `/docs`; null: none. */
  readonly documentsFolder: string | null
  /** The simulator's phones, in a sandbox. */
  readonly phonesUrl: string | null
  /** Null: bounces are not received here. */
  readonly bounce: { readonly host: string; readonly port: number } | null
  /** Which addresses customers may have called. */
  readonly door: SafeDoorOptions
  /** Null: metrics are open. */
  readonly metricsToken: string | null
  readonly trustedProxies: readonly string[]
  readonly ipSourcesFile: string | null
  /** Where downloaded lists are kept; without it they are downloaded at every start. */
  readonly ipListsFolder?: string
  readonly role: Role
  /** How an app that does not say so chooses among accounts; absent: by priority. */
  readonly routingAccounts?: AccountChoice
  readonly retentionDays: number
  /** Where traces go; absent: nothing is traced. */
  readonly trace?: TraceOptions | null
  /** Verifications of our own that a worker sends, and how often. */
  readonly canaries?: readonly CanaryPlan[]
  readonly canaryEverySeconds?: number
  /** How long calls are still taken once it says that it stops, for balancers to notice. */
  readonly drainMs?: () => number
  /** Hears every few seconds what a stop still waits for. */
  readonly onStopWaits?: ((names: readonly string[]) => void) | undefined
  /** The metrics of all processes together, where there are several. */
  readonly metrics?: Metrics | undefined
  /** Where other processes hand messages to this one, it keeps its carriers until they have ended. */
  readonly untilOthersEnd?: (() => Promise<void>) | undefined
  /** Where a parent accepts connections: resolves when one that it had accepted would be here. */
  readonly untilHandedOn?: (() => Promise<unknown>) | undefined
  readonly log: Log
  readonly kinds: ReadonlyMap<string, AnyKind>
  /** Accounts that are not in the database: the simulator's, or a test's. */
  readonly builtIn: (
    onReceipt: (providerId: string, receipt: Receipt) => Promise<void>,
  ) => readonly Provider[]
}

/**
 * How it stops, stage by stage: for a while nothing changes but what /readyz says; then whoever has asked is answered, and
 * workers finish what they have begun; then go connections and what is still in memory, then the receipts that came over
 * them, and the database last.
 */
export const stages = ['drain', 'work', 'connections', 'receipts', 'database'] as const

/** What a role is made of; a part asks for the duty that it serves. */
export interface Duties {
  /** Calls of the API, of the dashboard and of the management. */
  readonly answersCalls: boolean
  /** Messages to providers, events to endpoints, and what has to be done beside. */
  readonly runsWorker: boolean
}

export const dutiesOf = (role: Role): Duties => ({
  answersCalls: role !== 'worker',
  runsWorker: role !== 'api',
})

export interface Opening {
  readonly options: AppOptions
  readonly duties: Duties
  readonly closers: Closers<(typeof stages)[number]>
  readonly calls: Calls
}
