/** The options and helpers with which every part of an app is opened. */
import type { AccountChoice } from '@countersign/contract'
import type { Receipt } from '../channels/channel.ts'
import type { AnyKind } from '../channels/index.ts'
import type { CanaryPlan } from '../config/environment.ts'
import type { Role, TraceOptions } from '../config.ts'
import type { Provider } from '../domain/routing/index.ts'
import type { Closers } from '../platform/closers.ts'
import type { MasterKeys } from '../platform/data-keys.ts'
import type { Sessions } from '../platform/database/pooler.ts'
import type { Log } from '../platform/log.ts'
import type { Metrics } from '../platform/metrics.ts'
import type { SafeDoorOptions } from '../platform/safe-post.ts'
import type { Calls } from './calls.ts'

export interface AppOptions {
  readonly databaseUrl: string
  /** A standby for lists and figures; null to read them from the primary. */
  readonly databaseReadUrl: string | null
  readonly databaseConnections: number
  /** What connections keep between transactions; a pooler may keep less. */
  readonly sessions?: Sessions | undefined
  readonly masterKeys: MasterKeys
  readonly adminToken: string
  readonly publicUrl: string
  /** The base URL of callbacks for accounts that are not in the database. */
  readonly localUrl: string
  /** The folder of the built dashboard; null for the API alone. */
  readonly dashboardFolder: string | null
  /** The folder of the built site of `/docs`; null for none. */
  readonly documentsFolder: string | null
  /** The URL of the simulator's phones, in a sandbox. */
  readonly phonesUrl: string | null
  /** Where bounces are received; null if this node receives none. */
  readonly bounce: { readonly host: string; readonly port: number } | null
  /** Decides which addresses may be called for customers. */
  readonly door: SafeDoorOptions
  /** Null if everybody may read the metrics. */
  readonly metricsToken: string | null
  readonly trustedProxies: readonly string[]
  readonly ipSourcesFile: string | null
  /** Where downloaded lists are kept; null to download them at every start. */
  readonly ipListsFolder: string | null
  readonly role: Role
  /** How accounts are chosen for an app that does not set it. */
  readonly routingAccounts: AccountChoice
  readonly retentionDays: number
  /** Where traces are sent; null for no traces. */
  readonly trace: TraceOptions | null
  /** The canaries that a worker sends. */
  readonly canaries: readonly CanaryPlan[]
  readonly canaryEverySeconds: number
  /** How long calls are still accepted after /readyz reports the stop, so that load balancers notice. */
  readonly drainMs?: () => number
  /** Called every few seconds with the names of the parts that a stop still waits for. */
  readonly onStopWaits?: ((names: readonly string[]) => void) | undefined
  /** The metrics of all processes together, if there are several. */
  readonly metrics?: Metrics | undefined
  /** Resolves when other processes hand no more messages to this one, which keeps its accounts open until then. */
  readonly untilOthersEnd?: (() => Promise<void>) | undefined
  /** If a parent accepts connections: resolves when a connection that it has accepted would have arrived here. */
  readonly untilHandedOn?: (() => Promise<unknown>) | undefined
  readonly log: Log
  readonly kinds: ReadonlyMap<string, AnyKind>
  /** Accounts that are not in the database: the simulator's, or a test's. */
  readonly builtIn: (
    onReceipt: (providerId: string, receipt: Receipt) => Promise<void>,
  ) => readonly Provider[]
}

/**
 * The stages of a stop: first only /readyz changes; then calls under way are answered, and workers finish what they
 * have begun; then connections are closed and what is in memory is written; then the receipts that came over those
 * connections are recorded; the database is closed last.
 */
export const stages = ['drain', 'work', 'connections', 'receipts', 'database'] as const

/** The duties of a role; each part checks the duty that it belongs to. */
export interface Duties {
  /** Answers calls of the API, the dashboard and the management API. */
  readonly answersCalls: boolean
  /** Sends messages to providers and events to endpoints, and does regular work. */
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
