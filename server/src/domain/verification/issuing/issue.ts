/** Carries out a batch of sends and resends: lock, read, decide one after the other, write, commit. */

import { AppError, type PriceBook, type VerificationAnswer } from '@countersign/contract'
import type { Settled } from '../../../platform/coalesce/waiting-calls.ts'
import { type CoalesceOptions, coalesce } from '../../../platform/coalesce.ts'
import { type Database, type Held, isLockTimeout } from '../../../platform/database.ts'
import type { GuardPart } from '../../../platform/guard-metrics.ts'
import type { AppId, CompanyId } from '../../../platform/ids.ts'
import type { Keyring } from '../../../platform/keyring.ts'
import type { Metrics } from '../../../platform/metrics.ts'
import type { Tracer } from '../../../platform/trace.ts'
import { type Hold, hold, type ReadPrices, writeSpend } from '../../billing/index.ts'
import { type HandOver, leftForOthers } from '../../delivery/index.ts'
import { labelContext, type Reputation, writePumping } from '../../guard/index.ts'
import type { KnownRoutes, Providers, RouteBook, RouteKnowledge } from '../../routing/index.ts'
import type { App } from '../../tenancy/index.ts'
import { faultOf, withoutFaulty } from '../guard-fault.ts'
import type { NoteRefusal } from '../refusals/refusal.ts'
import { type BatchState, BatchWrites, type Call, dueOf, lineOf, type NewDelivery } from './batch.ts'
import { writeBatch } from './batch-write-store.ts'
import { type Batch, readBatch } from './read-batch.ts'
import { decideResend } from './resend.ts'
import type { RuleContext } from './rule.ts'
import { decideSend } from './start.ts'

export interface IssueDependencies {
  readonly database: Database
  readonly keyring: () => Keyring
  readonly prices: ReadPrices
  readonly reputation: Reputation
  readonly providers: Providers
  readonly routeKnowledge: Pick<RouteKnowledge, 'of'>
  readonly routeBook: Pick<RouteBook, 'saved'>
  /** Returns a number from 0 to 1. */
  readonly random: () => number
  /** Gives accepted messages to this node's worker. */
  readonly handOver: HandOver
  /** Called if a part of the guard could not use its tables, or something in them; calls were decided without it. */
  readonly countUnguarded: (error: unknown, part: GuardPart) => void
  readonly noteRefusal: NoteRefusal
  readonly metrics: Pick<Metrics, 'countSend' | 'observeBatch'>
  readonly tracer?: Tracer | null
}

export type Issue = (call: Call) => Promise<VerificationAnswer>

/** Few batches run at once, since calls that wait share the next one. One is for companies whose rows are locked. */
export const batchingFor = (connections: number): CoalesceOptions => ({
  maxRunning: Math.min(Math.max(Math.floor(connections / 2), 1), 3),
  maxBatch: 200,
  maxGroups: 200,
  maxWaiting: 10_000,
})

/** Assumed if the number of connections is not given. */
const fewConnections = 8
/** How long a caller waits for the company's locked row before it gets an error. */
const heldUpMs = 5_000

/** Somebody else has locked the company's row: another node, or whoever credits the balance. */
class CompanyLocked extends AppError {
  constructor() {
    super('UnavailableError', 'The database does not answer right now. Try again shortly.', {
      retry_after: 1,
    })
  }
}

export function createIssue(dependencies: IssueDependencies, options = batchingFor(fewConnections)): Issue {
  const submit = coalesce<PreparedCall, VerificationAnswer>(
    (asked, isPatient, takeMore) => runBatch(dependencies, asked, isPatient ? takeMore : null),
    {
      isHeldUp: (error) => error instanceof CompanyLocked || isLockTimeout(error),
      heldUpMs,
      ...options,
    },
  )
  const { prices, routeKnowledge } = dependencies
  return async (call) =>
    submit(call.app.companyId, {
      call,
      prices: await prices(),
      routes: await routesOf(routeKnowledge, call.app),
    })
}

/** A call with what was looked up for it beforehand: under the lock of a company no other connection is used. */
interface PreparedCall {
  readonly call: Call
  readonly prices: PriceBook
  readonly routes: KnownRoutes | null
}

/** What was decided and is not written yet. */
interface Decision {
  readonly writes: BatchWrites
  readonly settled: Settled<VerificationAnswer>[]
}

async function runBatch(
  dependencies: IssueDependencies,
  asked: readonly PreparedCall[],
  /** Set if the batch waits for the company's row: calls that arrive meanwhile are decided too. */
  takeMore: (() => readonly PreparedCall[]) | null,
): Promise<Settled<VerificationAnswer>[]> {
  const { database, keyring, reputation, providers, random, handOver, countUnguarded } = dependencies
  const startedAtMs = performance.now()
  const routes = new Map<AppId, KnownRoutes>()
  const taken: PreparedCall[] = []
  const take = (more: readonly PreparedCall[]) => {
    taken.push(...more)
    for (const { call, routes: known } of more) if (known) routes.set(call.app.appId, known)
  }
  take(asked)
  const context = { reputation, providers, keyring: keyring(), routes, random }
  const companies = companiesOf(asked)
  let reservation = leftForOthers.reserve([])
  const settle = (parts: readonly GuardPart[]) => {
    // An earlier try was rolled back, so its reservation is cancelled.
    reservation.cancel()
    let holding: Promise<Hold> | null = null
    return database.inTwoTrips<Batch, Decision>({
      wait: takeMore
        ? async (transaction) => {
            holding = hold(transaction, companies, 'wait')
            await holding
            take(takeMore())
          }
        : undefined,
      read: (transaction) =>
        readBatch(
          transaction,
          {
            calls: taken.map(callOf),
            companies,
            holding: holding ?? hold(transaction, companies, 'skip'),
            parts,
            onUnreadable: (error) => countUnguarded(error, 'pumping'),
          },
          context.keyring,
        ),
      write: (transaction, batch) => {
        const result = decideAll(taken, batch, context)
        const { writes } = result
        reservation = handOver.reserve(writes.deliveries.map(lineOf))
        const held = transaction.holding(companies)
        const statements = [
          ...writeBatch(transaction, held, writes, batch.nowMs, reservation.holderOf),
          ...writeGuard(held, batch, context.keyring),
        ]
        return { statements, result }
      },
    })
  }
  const { settled, writes } = await withoutFaulty(['pumping', 'spend'], settle, {
    isShared: companies.length > 1,
    onFault: countUnguarded,
  }).catch((error: unknown) => {
    reservation.cancel()
    throw error
  })
  reservation.begin(writes.deliveries.map(dueOf))
  noteWritten(dependencies, writes, { durationMs: performance.now() - startedAtMs, calls: taken.length })
  return settled
}

function decideAll(
  taken: readonly PreparedCall[],
  { states }: Batch,
  context: Omit<RuleContext, 'prices'>,
): Decision {
  const writes = new BatchWrites()
  const settled = taken.map(({ call, prices }) =>
    decide(call, states.get(call.app.companyId), writes, { ...context, prices }),
  )
  return { writes, settled }
}

interface BatchMeasure {
  readonly durationMs: number
  readonly calls: number
}

/** Runs after the commit, so that nothing is counted for a batch that was rolled back. */
function noteWritten(
  { routeBook, noteRefusal, metrics, tracer }: IssueDependencies,
  writes: BatchWrites,
  measure: BatchMeasure,
): void {
  for (const refusal of writes.refusals) noteRefusal(refusal)
  for (const delivery of writes.deliveries) noteSaved(routeBook, delivery)
  for (const { kind, verification } of writes.decisions)
    metrics.countSend(kind, verification.channel, verification.country)
  metrics.observeBatch('send', measure.calls, measure.durationMs / 1_000)
  if (tracer) traceBatch(tracer, writes, measure)
}

/** Each verification has its own tree of spans, and the batch is in all of them. */
function traceBatch(tracer: Tracer, { decisions }: BatchWrites, { durationMs, calls }: BatchMeasure): void {
  for (const { kind, verification } of decisions) {
    const { otpId, channel, country } = verification
    if (kind === 'send') tracer.begin(otpId)
    tracer.record({
      subject: otpId,
      name: `batch ${kind}`,
      kind: 'internal',
      durationMs,
      attributes: {
        'countersign.batch_calls': calls,
        'countersign.channel': channel,
        ...(country ? { 'countersign.country': country } : {}),
      },
    })
  }
}

/** What is known of an app's routes, usually from memory; null for apps that do not choose their accounts by it. */
export const routesOf = async (
  knowledge: Pick<RouteKnowledge, 'of'>,
  { settings, companyId, appId }: App,
): Promise<KnownRoutes | null> =>
  (settings.routing.accounts === 'learned' && (await knowledge.of(companyId, appId))) || null

function noteSaved(routeBook: Pick<RouteBook, 'saved'>, delivery: NewDelivery): void {
  const { verification, providerId, savedMicros, nowMs } = delivery
  if (savedMicros === 0) return
  const { companyId, appId, channel, country } = verification
  routeBook.saved({ companyId, appId, channel, country, providerId }, savedMicros, nowMs)
}

/** The companies of these calls, in the order in which they are locked. */
const companiesOf = (asked: readonly PreparedCall[]): CompanyId[] =>
  [...new Set(asked.map(({ call }) => call.app.companyId))].sort()

const callOf = ({ call }: PreparedCall): Call => call

/** Writes the guard's changes, even if all calls were refused: a refusal may have started a block. */
function writeGuard(
  held: Held,
  { pumping, spend, companyOf, nowMs }: Batch,
  keyring: Keyring,
): Promise<void>[] {
  const dataKey = keyring.current(nowMs)
  const seal = (label: string) => keyring.seal(dataKey, label, labelContext).toString('base64url')
  return [
    writePumping(held, pumping, nowMs, seal).catch(faultOf('pumping')),
    ...(spend ? [writeSpend(held, spend, companyOf).catch(faultOf('spend'))] : []),
  ]
}

/** A refusal is thrown before the call has written anything, so it does not affect its neighbours. */
function decide(
  call: Call,
  state: BatchState | undefined,
  writes: BatchWrites,
  context: RuleContext,
): Settled<VerificationAnswer> {
  if (!state) return { error: new CompanyLocked() }
  try {
    const value =
      call.kind === 'send'
        ? decideSend(call, state, writes, context)
        : decideResend(call, state, writes, context)
    return { value }
  } catch (error) {
    return { error }
  }
}
