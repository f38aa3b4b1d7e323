/** Carries out a batch of sends and resends: lock, read, decide one after the other, write, commit. */

import { AppError, type PriceBook, type VerificationAnswer } from '@countersign/contract'
import { type CoalesceOptions, coalesce, type Settled } from '../../../platform/coalesce.ts'
import {
  type Database,
  type Held,
  inOrder,
  isLockTimeout,
  type Transaction,
} from '../../../platform/database.ts'
import type { AppId, CompanyId } from '../../../platform/ids.ts'
import type { Keyring } from '../../../platform/keyring.ts'
import { hold, type ReadPrices, readSpend, Spend, writeSpend } from '../../billing/index.ts'
import { type HandOver, leftForOthers, recipientContext } from '../../delivery/index.ts'
import {
  type LimitRow,
  labelContext,
  limitsOf,
  Pumping,
  parseRecipient,
  placeOf,
  type Reputation,
  readPumping,
  type Wanted,
  writePumping,
} from '../../guard/index.ts'
import type { KnownRoutes, Providers, RouteBook, RouteKnowledge } from '../../routing/index.ts'
import { faultOf, type GuardPart, withoutFaulty } from '../guard-fault.ts'
import type { NoteRefusal } from '../refusals/refusal.ts'
import type { Verification } from '../verification.ts'
import {
  BatchState,
  BatchWrites,
  type Call,
  dueOf,
  lineOf,
  type NewDelivery,
  type ResendCall,
  stateKey,
  verificationKey,
} from './batch.ts'
import * as store from './batch-store.ts'
import { writeBatch } from './batch-store.ts'
import { compiledRules } from './own-rules/compile.ts'
import { ownRowsOf } from './own-rules/rows.ts'
import { decideResend } from './resend.ts'
import type { RuleContext } from './rule.ts'
import { answerContext, decideSend } from './start.ts'

export interface IssueDependencies {
  readonly database: Database
  readonly keyring: () => Keyring
  readonly prices: ReadPrices
  readonly reputation: Reputation
  readonly providers: Providers
  readonly routeKnowledge: Pick<RouteKnowledge, 'of'>
  readonly routeBook: Pick<RouteBook, 'saved'>
  /** From 0 to 1. */
  readonly random: () => number
  /** Brings what was accepted to this node's worker. */
  readonly handOver: HandOver
  /** A part of the guard could not use its tables; what was decided went on without it. */
  readonly countUnguarded: (error: unknown, part: GuardPart) => void
  readonly noteRefusal: NoteRefusal
}

export type Issue = (call: Call) => Promise<VerificationAnswer>

/** One is for companies whose rows are locked. Few at once, since what waits meanwhile shares the next batch. */
export const batchingFor = (connections: number): CoalesceOptions => ({
  maxRunning: Math.min(Math.max(Math.floor(connections / 2), 1), 3),
  maxBatch: 200,
  maxGroups: 200,
  maxWaiting: 10_000,
})

/** Assumed where nobody says how many connections there are. */
const fewConnections = 8
/** A caller is told after as long that the company's row is locked. */
const heldUpMs = 5_000

/** Somebody else has the company's row: another node, or whoever credits it. */
class CompanyLocked extends AppError {
  constructor() {
    super('UnavailableError', 'The database does not answer right now. Try again shortly.', {
      retry_after: 1,
    })
  }
}

export function createIssue(dependencies: IssueDependencies, options = batchingFor(fewConnections)): Issue {
  const submit = coalesce<Call, VerificationAnswer>(
    (calls, isPatient) => runBatch(dependencies, calls, isPatient),
    {
      isHeldUp: (error) => error instanceof CompanyLocked || isLockTimeout(error),
      heldUpMs,
      ...options,
    },
  )
  return (call) => submit(call.app.companyId, call)
}

/** What was decided, and not written yet. */
interface Decision {
  readonly writes: BatchWrites
  readonly settled: Settled<VerificationAnswer>[]
}

async function runBatch(
  {
    database,
    keyring,
    prices,
    reputation,
    providers,
    routeKnowledge,
    routeBook,
    random,
    handOver,
    countUnguarded,
    noteRefusal,
  }: IssueDependencies,
  calls: readonly Call[],
  isPatient: boolean,
): Promise<Settled<VerificationAnswer>[]> {
  const book: PriceBook = await prices()
  const routes = await routesOf(routeKnowledge, calls)
  const context: RuleContext = { reputation, providers, prices: book, keyring: keyring(), routes, random }
  const companies = companiesOf(calls)
  let accepted: readonly NewDelivery[] = []
  let reservation = leftForOthers.reserve([])
  const settle = (parts: readonly GuardPart[]) => {
    // Gives back what an earlier try had reserved, which was rolled back.
    reservation.cancel()
    return database.inTwoTrips<Batch, Decision>({
      read: (transaction) => readBatch(transaction, { calls, companies, isPatient, parts }, context.keyring),
      write: (transaction, batch) => {
        const writes = new BatchWrites()
        const settled = calls.map((call) =>
          decide(call, batch.states.get(call.app.companyId), writes, context),
        )
        accepted = writes.deliveries
        reservation = handOver.reserve(accepted.map(lineOf))
        const held = transaction.holding(companies)
        const statements = [
          ...writeBatch(transaction, held, writes, batch.nowMs, reservation.holderOf),
          ...writeGuard(held, batch, context.keyring),
        ]
        return { statements, result: { writes, settled } }
      },
    })
  }
  const { settled, writes } = await withoutFaulty(['pumping', 'spend'], settle, countUnguarded).catch(
    (error: unknown) => {
      reservation.cancel()
      throw error
    },
  )
  reservation.begin(accepted.map(dueOf))
  for (const refusal of writes.refusals) noteRefusal(refusal)
  for (const delivery of accepted) noteSaved(routeBook, delivery)
  return settled
}

/** Of apps that choose their accounts by it; as a rule from memory. */
export async function routesOf(
  knowledge: Pick<RouteKnowledge, 'of'>,
  calls: readonly Pick<Call, 'app'>[],
): Promise<ReadonlyMap<AppId, KnownRoutes>> {
  const learning = new Map(
    calls
      .filter(({ app }) => app.settings.routing.accounts === 'learned')
      .map(({ app }) => [app.appId, app.companyId]),
  )
  const routes = new Map<AppId, KnownRoutes>()
  for (const [appId, companyId] of learning) {
    const known = await knowledge.of(companyId, appId)
    if (known) routes.set(appId, known)
  }
  return routes
}

function noteSaved(routeBook: Pick<RouteBook, 'saved'>, delivery: NewDelivery): void {
  const { verification, providerId, savedMicros, nowMs } = delivery
  if (savedMicros === 0) return
  const { companyId, appId, channel, country } = verification
  routeBook.saved({ companyId, appId, channel, country, providerId }, savedMicros, nowMs)
}

/** In the order in which they are locked. */
const companiesOf = (calls: readonly Call[]): CompanyId[] =>
  [...new Set(calls.map(({ app }) => app.companyId))].sort()

/** What the guard has to write: a refusal too may have started a block. */
function writeGuard(
  held: Held,
  { pumping, spend, companyOf, nowMs }: Batch,
  keyring: Keyring,
): Promise<void>[] {
  const dataKey = keyring.current(nowMs)
  const seal = (label: string) => keyring.seal(dataKey, label, labelContext).toString('base64')
  return [
    writePumping(held, pumping, nowMs, seal).catch(faultOf('pumping')),
    ...(spend ? [writeSpend(held, spend, companyOf).catch(faultOf('spend'))] : []),
  ]
}

/** What the guard reads for one of them: nothing where it is off, or there is no number. */
export function wantedOf(
  {
    companyId,
    appId,
    recipientHash,
    ipKey,
    call,
    number,
    country,
  }: Omit<Addressee, 'call'> & { call: Pick<Call, 'app'> },
  keyring: Keyring,
): Wanted[] {
  if (call.app.settings.pumping.mode === 'off' || number === null || country === null) return []
  // Blocks of numbers are known to the database by a keyed hash.
  const hideRange = (prefix: string) => keyring.lookupHash('pumping', prefix).toString('base64url')
  const place = placeOf({ appId, number, region: country, ipKey }, hideRange)
  return [{ companyId, appId, recipientHash, number, ipKey, place }]
}

/** A refusal is thrown before a call has written anything, so its neighbours are untouched by it. */
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

/** What was read for all calls. */
interface Batch {
  readonly nowMs: number
  /** Of the companies whose row was to be had. */
  readonly states: ReadonlyMap<CompanyId, BatchState>
  /** Of each company for itself: places may be known to all its apps. */
  readonly pumping: readonly { readonly companyId: CompanyId; readonly pumping: Pumping }[]
  readonly spend: Spend | null
  readonly companyOf: (appId: string) => CompanyId
}

interface BatchRequest {
  readonly calls: readonly Call[]
  readonly companies: readonly CompanyId[]
  readonly isPatient: boolean
  readonly parts: readonly GuardPart[]
}

/** Without a resend among the calls all of it is asked for at once: what a resend is about has to be read first. */
async function readBatch(
  transaction: Transaction,
  { calls, companies, isPatient, parts }: BatchRequest,
  keyring: Keyring,
): Promise<Batch> {
  const holding = hold(transaction, companies, isPatient ? 'wait' : 'skip')
  const held = transaction.holding(companies)
  const resends = calls.flatMap((call) => (call.kind === 'resend' ? [call] : []))
  const verifications =
    resends.length > 0
      ? await lockVerifications(transaction, resends, (await holding).funds)
      : new Map<string, Verification>()
  const addressees = calls.flatMap((call) => addresseeOf(call, verifications, keyring))
  const wanted = parts.includes('pumping') ? addressees.flatMap((each) => wantedOf(each, keyring)) : []
  const [{ nowMs, funds }, replays, { unreachable, exceptions }, limits, known, loaded, spent] =
    await inOrder([
      holding,
      readReplays(held, calls, keyring),
      store.readRemembered(held, addressees),
      store.readLimits(held, addressees.flatMap(limitsOfAddressee), true),
      store.readKnown(held, addressees.filter(isKnownAsked)),
      wanted.length > 0 ? readPumping(held, wanted, true).catch(faultOf('pumping')) : null,
      parts.includes('spend') ? readSpend(held, addressees, true).catch(faultOf('spend')) : null,
    ])
  const spend = spent && new Spend(spent, nowMs)
  const pumping = [...(loaded ?? [])].map(([companyId, own]) => ({
    companyId,
    pumping: new Pumping(
      own,
      wanted.filter((each) => each.companyId === companyId),
    ),
  }))
  const shared = { nowMs, verifications, replays, unreachable, exceptions, limits, known, spend }
  const states = [...funds].map(([companyId, own]) => {
    const guard = pumping.find((each) => each.companyId === companyId)?.pumping ?? null
    return [companyId, new BatchState({ ...shared, funds: own, pumping: guard })] as const
  })
  return { nowMs, states: new Map(states), pumping, spend, companyOf: ownersOf(calls) }
}

function ownersOf(calls: readonly Call[]): Batch['companyOf'] {
  const owners = new Map<string, CompanyId>(calls.map(({ app }) => [app.appId, app.companyId]))
  return (appId) => {
    const companyId = owners.get(appId)
    if (!companyId) throw new Error('an app that no call is of')
    return companyId
  }
}

/** In the order of their ids, and only in companies that are held: who has one of the others has its verifications too. */
async function lockVerifications(
  transaction: Transaction,
  resends: readonly ResendCall[],
  held: ReadonlyMap<CompanyId, unknown>,
): Promise<Map<string, Verification>> {
  const wanted = new Map(
    resends
      .filter(({ app }) => held.has(app.companyId))
      .toSorted((left, right) => (left.otpId < right.otpId ? -1 : 1))
      .map((call) => [verificationKey(call.app.appId, call.otpId), call]),
  )
  const locked = await inOrder(
    [...wanted].map(async ([key, { app, otpId }]) => {
      const found = await store.lockVerification(transaction.of(app.companyId), app.appId, otpId)
      return found ? ([[key, found]] as const) : []
    }),
  )
  return new Map(locked.flat())
}

async function readReplays(held: Held, calls: readonly Call[], keyring: Keyring) {
  const wanted = calls.flatMap((call) =>
    call.kind === 'send' && call.idempotencyHash
      ? [{ companyId: call.app.companyId, keyHash: call.idempotencyHash }]
      : [],
  )
  const rows = await store.readReplays(held, wanted)
  return new Map(rows.map((row) => [stateKey(row.companyId, row.keyHash), openReplay(row, keyring)]))
}

export function openReplay({ recipientHash, sealedAnswer }: store.ReplayRow, keyring: Keyring) {
  return {
    recipientHash,
    answer: JSON.parse(keyring.open(sealedAnswer, answerContext)) as VerificationAnswer,
  }
}

/** Whom a call would send to, as far as limits and the guard go by them. */
interface Addressee {
  readonly companyId: CompanyId
  readonly appId: string
  readonly recipientHash: Buffer
  readonly ipKey: string | null
  /** E.164; null for an email address. */
  readonly number: string | null
  readonly country: string | null
  readonly call: Call
}

function addresseeOf(
  call: Call,
  verifications: ReadonlyMap<string, Verification>,
  keyring: Keyring,
): Addressee[] {
  const { companyId, appId } = call.app
  if (call.kind === 'send') {
    const { type, canonical, country } = call.recipient
    const number = type === 'phone' ? canonical : null
    const ipKey = call.clientIp?.limitKey ?? null
    return [{ companyId, appId, recipientHash: call.recipientHash, ipKey, number, country, call }]
  }
  const current = verifications.get(verificationKey(appId, call.otpId))
  if (!current?.recipient || !current.recipientHash) return []
  const { recipientHash, ipKey, country } = current
  const number =
    current.recipientType === 'phone'
      ? (parseRecipient(keyring.open(current.recipient, recipientContext(current.otpId)))?.canonical ?? null)
      : null
  return [{ companyId, appId, recipientHash, ipKey, number, country, call }]
}

/** As if flagged: reading one row too many costs less than asking the lists twice. */
function limitsOfAddressee({ companyId, appId, recipientHash, ipKey, call }: Addressee) {
  const person = { appId, recipientHash, ipKey }
  const rows: LimitRow[] = [
    ...limitsOf(call.app.settings.limits, { kind: call.kind, isFlagged: true, ...person }),
    ...ownRowsOf(compiledRules(call.app.rules), person),
  ]
  return rows.map((row) => ({ companyId, row }))
}

const isKnownAsked = ({ call }: Addressee) => compiledRules(call.app.rules)?.asksKnown ?? false
