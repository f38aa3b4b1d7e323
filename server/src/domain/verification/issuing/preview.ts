/** What a send would do now, by the same rules and on the same data, with no lock, count or charge. */
import type { AppError, ChannelName, Decided } from '@countersign/contract'
import { readSpend, Spend } from '../../billing/index.ts'
import { type ClientIp, limitsOf, Pumping, parseRecipient, readPumping } from '../../guard/index.ts'
import type { Principal } from '../../tenancy/index.ts'
import { askRules } from './ask-rules.ts'
import { BatchState } from './batch.ts'
import * as store from './batch-store.ts'
import { type IssueDependencies, wantedOf } from './issue.ts'
import { compiledRules } from './own-rules/compile.ts'
import { ownRowsOf } from './own-rules/rows.ts'
import { channelOf } from './route.ts'
import { routeOf } from './rule.ts'
import { rulesOf } from './rules.ts'
import { hashRecipient, invalidRecipient, notARecipient } from './send.ts'
import { subjectOfSend } from './subject.ts'

export type Preview =
  | {
      readonly channel: ChannelName
      readonly order: readonly ChannelName[]
      readonly priceMicros: bigint
      readonly decision: readonly Decided[]
    }
  | { readonly error: AppError; readonly decision: readonly Decided[] }

export async function preview(
  {
    database,
    keyring,
    prices,
    reputation,
    providers,
  }: Omit<IssueDependencies, 'handOver' | 'countUnguarded' | 'noteRefusal'>,
  { app, kind: keyKind }: Pick<Principal, 'app' | 'kind'>,
  { recipient: text, clientIp }: { readonly recipient: string; readonly clientIp: ClientIp | null },
): Promise<Preview> {
  const recipient = parseRecipient(text, app.settings.number_check)
  if (!recipient) return { error: invalidRecipient(), decision: [notARecipient] }
  const recipientHash = hashRecipient(keyring(), recipient)
  const subject = subjectOfSend({ app, keyKind, recipient, recipientHash, clientIp, among: null })
  const person = { appId: app.appId, recipientHash, ipKey: subject.ipKey, isFlagged: true }
  const tenant = database.of(app.companyId)
  const own = compiledRules(app.rules)
  const rows = [...limitsOf(app.settings.limits, { kind: 'send', ...person }), ...ownRowsOf(own, person)]
  const wanted = wantedOf(
    { ...person, number: subject.number, country: subject.country, call: { app } },
    keyring(),
  )
  const [funds, { nowMs, unreachable, exceptions }, limits, known, book, pumping] = await Promise.all([
    store.readFunds(tenant),
    store.readUnreachable(tenant, [{ appId: app.appId, recipientHash }]),
    store.readLimits(tenant, rows, false),
    store.readKnown(tenant, own?.asksKnown ? [person] : []),
    prices(),
    // As in a send: where the guard cannot read its tables, it holds nothing back.
    readPumping(tenant, wanted, false).then(
      (loaded) => new Pumping(loaded, wanted),
      () => null,
    ),
  ])
  // Likewise. It comes after the other reads, which bring the database's time: that decides the day and hour.
  const spend = await readSpend(tenant, [{ appId: app.appId, country: subject.country }], nowMs, false).then(
    (loaded) => new Spend(loaded, nowMs),
    () => null,
  )
  const state = new BatchState({
    nowMs,
    funds,
    unreachable,
    exceptions,
    limits,
    known,
    pumping,
    spend,
    verifications: new Map(),
    replays: new Map(),
  })
  const context = { reputation, providers, prices: book, keyring: keyring() }
  const { decided, refusal, found, wants } = askRules(rulesOf.preview, subject, state, context)
  if (refusal) return { error: refusal, decision: decided }
  const { order, step } = routeOf(found)
  return {
    channel: channelOf(step),
    order: order.usable,
    priceMicros: wants.paidMicros ?? 0n,
    decision: decided,
  }
}
