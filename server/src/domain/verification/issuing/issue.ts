/** Carries out a batch of sends and resends: lock, read, decide one after the other, write, commit. */

import type { PriceBook, VerificationAnswer } from '@countersign/contract'
import { type CoalesceOptions, coalesce, type Settled } from '../../../platform/coalesce.ts'
import { type Database, isLockTimeout, type Tenant } from '../../../platform/database.ts'
import type { Keyring } from '../../../platform/keyring.ts'
import { type ReadPrices, readSpend, Spend, writeSpend } from '../../billing/index.ts'
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
import type { Providers } from '../../routing/index.ts'
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
  stateKey,
  verificationKey,
} from './batch.ts'
import * as store from './batch-store.ts'
import { beginBatch } from './begin-batch.ts'
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
  /** Brings what was accepted to this node's worker. */
  readonly handOver: HandOver
  /** A part of the guard could not use its tables; what was decided went on without it. */
  readonly countUnguarded: (error: unknown, part: GuardPart) => void
  readonly noteRefusal: NoteRefusal
}

export type Issue = (call: Call) => Promise<VerificationAnswer>

/** Fewer at once than there are connections, so that guesses, deliveries and receipts go on. */
export const batchingFor = (connections: number): CoalesceOptions => ({
  maxRunning: Math.min(Math.max(Math.floor(connections / 2), 1), 8),
  maxBatch: 200,
  maxWaiting: 10_000,
})

/** Assumed where nobody says how many connections there are. */
const fewConnections = 8
/** A caller is told after as long that the company's row is locked. */
const heldUpMs = 5_000

export function createIssue(dependencies: IssueDependencies, options = batchingFor(fewConnections)): Issue {
  const submit = coalesce<Call, VerificationAnswer>((calls) => runBatch(dependencies, calls), {
    isHeldUp: isLockTimeout,
    heldUpMs,
    ...options,
  })
  return (call) => submit(call.app.companyId, call)
}

async function runBatch(
  {
    database,
    keyring,
    prices,
    reputation,
    providers,
    handOver,
    countUnguarded,
    noteRefusal,
  }: IssueDependencies,
  /** All calls of a batch are of one company. */
  calls: readonly Call[],
): Promise<Settled<VerificationAnswer>[]> {
  const [first] = calls
  if (!first) return []
  const { companyId } = first.app
  const book: PriceBook = await prices()
  const context: RuleContext = { reputation, providers, prices: book, keyring: keyring() }
  let accepted: readonly NewDelivery[] = []
  let reservation = leftForOthers.reserve([])
  const settle = (parts: readonly GuardPart[]) =>
    database.transaction(async (transaction) => {
      // Gives back what an earlier try had reserved, which was rolled back.
      reservation.cancel()
      const tenant = transaction.of(companyId)
      const state = await readState(tenant, calls, context.keyring, parts)
      const writes = new BatchWrites()
      const settled = calls.map((call) => decide(call, state, writes, context))
      accepted = writes.deliveries
      reservation = handOver.reserve(accepted.map(lineOf))
      if (writes.decisions.length > 0 || writes.limits.size > 0)
        await store.writeBatch(tenant, writes, state.nowMs, reservation.holderOf)
      await writeGuard(tenant, state, context.keyring)
      if (state.spend) await writeSpend(tenant, state.spend).catch(faultOf('spend'))
      return { settled, refusals: writes.refusals }
    }, beginBatch(companyId))
  const { settled, refusals } = await withoutFaulty(['pumping', 'spend'], settle, countUnguarded).catch(
    (error: unknown) => {
      reservation.cancel()
      throw error
    },
  )
  reservation.begin(accepted.map(dueOf))
  for (const refusal of refusals) noteRefusal(refusal)
  return settled
}

async function readGuard(
  tenant: Tenant,
  addressees: readonly Addressee[],
  keyring: Keyring,
): Promise<Pumping | null> {
  const wanted = addressees.flatMap((addressee) => wantedOf(addressee, keyring))
  if (wanted.length === 0) return null
  return new Pumping(await readPumping(tenant, wanted, true).catch(faultOf('pumping')), wanted)
}

/** A refusal too may have started a block. */
async function writeGuard(tenant: Tenant, { pumping, nowMs }: BatchState, keyring: Keyring): Promise<void> {
  if (!pumping) return
  const dataKey = keyring.current(nowMs)
  const seal = (label: string) => keyring.seal(dataKey, label, labelContext).toString('base64')
  await writePumping(tenant, pumping, nowMs, seal).catch(faultOf('pumping'))
}

/** What the guard reads for one of them: nothing where it is off, or there is no number. */
export function wantedOf(
  {
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
  return [{ appId, recipientHash, number, ipKey, place }]
}

/** A refusal is thrown before a call has written anything, so its neighbours are untouched by it. */
function decide(
  call: Call,
  state: BatchState,
  writes: BatchWrites,
  context: RuleContext,
): Settled<VerificationAnswer> {
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

async function readState(
  tenant: Tenant,
  calls: readonly Call[],
  keyring: Keyring,
  parts: readonly GuardPart[],
): Promise<BatchState> {
  const funds = await store.readFunds(tenant)
  const verifications = await lockVerifications(tenant, calls)
  const replays = await readReplays(tenant, calls, keyring)
  const addressees = calls.flatMap((call) => addresseeOf(call, verifications, keyring))
  const { nowMs, unreachable, exceptions } = await store.readUnreachable(tenant, addressees)
  const limits = await store.readLimits(tenant, addressees.flatMap(limitsOfAddressee), true)
  const known = await store.readKnown(tenant, addressees.filter(isKnownAsked))
  const pumping = parts.includes('pumping') ? await readGuard(tenant, addressees, keyring) : null
  const spend = parts.includes('spend')
    ? new Spend(await readSpend(tenant, addressees, nowMs, true).catch(faultOf('spend')), nowMs)
    : null
  return new BatchState({
    nowMs,
    funds,
    verifications,
    replays,
    unreachable,
    exceptions,
    limits,
    known,
    pumping,
    spend,
  })
}

async function lockVerifications(tenant: Tenant, calls: readonly Call[]): Promise<Map<string, Verification>> {
  const verifications = new Map<string, Verification>()
  const resends = calls.flatMap((call) => (call.kind === 'resend' ? [call] : []))
  for (const { app, otpId } of resends.sort((left, right) => (left.otpId < right.otpId ? -1 : 1))) {
    const key = verificationKey(app.appId, otpId)
    if (verifications.has(key)) continue
    const found = await store.lockVerification(tenant, app.appId, otpId)
    if (found) verifications.set(key, found)
  }
  return verifications
}

async function readReplays(tenant: Tenant, calls: readonly Call[], keyring: Keyring) {
  const wanted = calls.flatMap((call) =>
    call.kind === 'send' && call.idempotencyHash ? [call.idempotencyHash] : [],
  )
  const rows = await store.readReplays(tenant, wanted)
  return new Map(rows.map((row) => [stateKey(tenant.companyId, row.keyHash), openReplay(row, keyring)]))
}

export function openReplay({ recipientHash, sealedAnswer }: store.ReplayRow, keyring: Keyring) {
  return {
    recipientHash,
    answer: JSON.parse(keyring.open(sealedAnswer, answerContext)) as VerificationAnswer,
  }
}

/** Whom a call would send to, as far as limits and the guard go by them. */
interface Addressee {
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
  const { appId } = call.app
  if (call.kind === 'send') {
    const { type, canonical, country } = call.recipient
    const number = type === 'phone' ? canonical : null
    const ipKey = call.clientIp?.limitKey ?? null
    return [{ appId, recipientHash: call.recipientHash, ipKey, number, country, call }]
  }
  const current = verifications.get(verificationKey(appId, call.otpId))
  if (!current?.recipient || !current.recipientHash) return []
  const { recipientHash, ipKey, country } = current
  const number =
    current.recipientType === 'phone'
      ? (parseRecipient(keyring.open(current.recipient, recipientContext(current.otpId)))?.canonical ?? null)
      : null
  return [{ appId, recipientHash, ipKey, number, country, call }]
}

/** As if flagged: reading one row too many costs less than asking the lists twice. */
const limitsOfAddressee = ({ appId, recipientHash, ipKey, call }: Addressee): LimitRow[] => [
  ...limitsOf(call.app.settings.limits, { kind: call.kind, appId, recipientHash, ipKey, isFlagged: true }),
  ...ownRowsOf(compiledRules(call.app.rules), { appId, recipientHash, ipKey }),
]

const isKnownAsked = ({ call }: Addressee) => compiledRules(call.app.rules)?.asksKnown ?? false
