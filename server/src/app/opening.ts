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
  /** A standby for lists and figures; absent or null to read them from the primary. */
  readonly databaseReadUrl?: string | null
  readonly databaseConnections: number
  /** What connections keep, where there is a pooler. */
  readonly sessions?: Sessions | undefined
  readonly masterKeys: MasterKeys
  readonly adminToken: string
  readonly publicUrl: string
  /** Where accounts that are not in the database are called back. */
  readonly localUrl: string
  /** The built dashboard; null for the API alone. */
  readonly dashboardFolder: string | null
  /** The built site of `/docs`; null for none. */
  readonly documentsFolder: string | null
  /** The simulator's phones, in a sandbox. */
  readonly phonesUrl: string | null
  /** Null if bounces are not received here. */
  readonly bounce: { readonly host: string; readonly port: number } | null
  /** Which addresses may be called for customers. */
  readonly door: SafeDoorOptions
  /** Null if metrics are open. */
  readonly metricsToken: string | null
  readonly trustedProxies: readonly string[]
  readonly ipSourcesFile: string | null
  /** Where downloaded lists are kept; without it they are downloaded at every start. */
  readonly ipListsFolder?: string
  readonly role: Role
  /** How an app that does not set it chooses among accounts; by priority if absent. */
  readonly routingAccounts?: AccountChoice
  readonly retentionDays: number
  /** Where traces go; absent for no traces. */
  readonly trace?: TraceOptions | null
  /** Canaries that a worker sends, and how often. */
  readonly canaries?: readonly CanaryPlan[]
  readonly canaryEverySeconds?: number
  /** How long calls are still taken after /readyz reports the stop, for load balancers to notice. */
  readonly drainMs?: () => number
  /** Called every few seconds with what a stop still waits for. */
  readonly onStopWaits?: ((names: readonly string[]) => void) | undefined
  /** The metrics of all processes together, where there are several. */
  readonly metrics?: Metrics | undefined
  /** If other processes hand messages to this one, it keeps its accounts open until they have ended. */
  readonly untilOthersEnd?: (() => Promise<void>) | undefined
  /** If a parent accepts connections: resolves when one that it has accepted would have arrived here. */
  readonly untilHandedOn?: (() => Promise<unknown>) | undefined
  readonly log: Log
  readonly kinds: ReadonlyMap<string, AnyKind>
  /** Accounts that are not in the database: the simulator's, or a test's. */
  readonly builtIn: (
    onReceipt: (providerId: string, receipt: Receipt) => Promise<void>,
  ) => readonly Provider[]
}

/**
 * How it stops, stage by stage: for a while only /readyz changes; then the calls under way are answered, and workers finish
 * what they have begun; then connections are closed and what is in memory is written, then the receipts that came over
 * them, and the database is closed last.
 */
export const stages = ['drain', 'work', 'connections', 'receipts', 'database'] as const

/** What a role includes; each part checks the duty that it serves. */
export interface Duties {
  /** Calls of the API, of the dashboard and of the management. */
  readonly answersCalls: boolean
  /** Messages to providers, events to endpoints, and regular work. */
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
