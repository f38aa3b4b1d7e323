/** Reads all that the rules of a batch need, under the lock of its companies. */
import type { VerificationAnswer } from '@countersign/contract'
import { type Held, inOrder, type Transaction } from '../../../platform/database.ts'
import type { GuardPart } from '../../../platform/guard-metrics.ts'
import type { CompanyId } from '../../../platform/ids.ts'
import type { Keyring } from '../../../platform/keyring.ts'
import { type Hold, readSpend, Spend } from '../../billing/index.ts'
import { recipientContext } from '../../delivery/index.ts'
import {
  type LimitRow,
  limitsOf,
  Pumping,
  parseRecipient,
  placeOf,
  readPumping,
  type Wanted,
} from '../../guard/index.ts'
import { faultOf } from '../guard-fault.ts'
import type { Verification } from '../verification.ts'
import { BatchState, type Call, type ResendCall, stateKey, verificationKey } from './batch.ts'
import * as store from './batch-read-store.ts'
import { compiledRules } from './own-rules/compile.ts'
import { ownRowsOf } from './own-rules/rows.ts'
import { answerContext } from './start.ts'

/** What was read for all calls. */
export interface Batch {
  readonly nowMs: number
  /** Only companies whose row could be locked. */
  readonly states: ReadonlyMap<CompanyId, BatchState>
  /** One for each company, since its apps share places. */
  readonly pumping: readonly { readonly companyId: CompanyId; readonly pumping: Pumping }[]
  readonly spend: Spend | null
  readonly companyOf: (appId: string) => CompanyId
}

export interface BatchRequest {
  readonly calls: readonly Call[]
  readonly companies: readonly CompanyId[]
  readonly holding: Promise<Hold>
  readonly parts: readonly GuardPart[]
  /** Called if something that the guard had stored could not be read and is ignored. */
  readonly onUnreadable: (error: unknown) => void
}

/** Everything is read at once, unless there is a resend: its verification has to be read first. */
export async function readBatch(
  transaction: Transaction,
  { calls, companies, holding, parts, onUnreadable }: BatchRequest,
  keyring: Keyring,
): Promise<Batch> {
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
      wanted.length > 0 ? readPumping(held, wanted, true, onUnreadable).catch(faultOf('pumping')) : null,
      parts.includes('spend') ? readSpend(held, addressees, true).catch(faultOf('spend')) : null,
    ])
  const spend = spent && new Spend(spent, nowMs)
  const pumping = [...(loaded ?? [])].map(([companyId, own]) => ({
    companyId,
    pumping: new Pumping(
      own,
      wanted.filter((each) => each.companyId === companyId),
      nowMs,
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

/**
 * Locks verifications in the order of their ids, and only in companies that this batch holds: another holder of a
 * company may also hold its verifications.
 */
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

export function openReplay(
  { companyId, keyHash, recipientHash, sealedAnswer }: store.ReplayRow,
  keyring: Keyring,
) {
  const opened = keyring.open(sealedAnswer, answerContext(companyId, keyHash))
  return { recipientHash, answer: JSON.parse(opened) as VerificationAnswer }
}

/** The recipient of a call, as limits and the guard see it. */
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

/** The limits as if the address were flagged: reading one row too many costs less than asking the lists twice. */
function limitsOfAddressee({ companyId, appId, recipientHash, ipKey, call }: Addressee) {
  const person = { appId, recipientHash, ipKey }
  const rows: LimitRow[] = [
    ...limitsOf(call.app.settings.limits, { kind: call.kind, isFlagged: true, ...person }),
    ...ownRowsOf(compiledRules(call.app.rules), person),
  ]
  return rows.map((row) => ({ companyId, row }))
}

const isKnownAsked = ({ call }: Addressee) => compiledRules(call.app.rules)?.asksKnown ?? false

/** What the guard reads for an addressee: nothing if the guard is off, or there is no phone number. */
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
  // In the database, ranges of numbers are named by a keyed hash.
  const hideRange = (prefix: string) => keyring.lookupHash('pumping', prefix).toString('base64url')
  const place = placeOf({ appId, number, region: country, ipKey }, hideRange)
  return [{ companyId, appId, recipientHash, number, ipKey, place }]
}
