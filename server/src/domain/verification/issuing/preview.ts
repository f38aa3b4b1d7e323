/** What a send would do now, by the same rules and on the same data, with no lock, count or charge. */
import type { AppError, ChannelName, Decided } from '@countersign/contract'
import { type Database, inOrder } from '../../../platform/database.ts'
import type { CompanyId } from '../../../platform/ids.ts'
import { lookAt, readSpend, Spend, type WantedSpend } from '../../billing/index.ts'
import { type ClientIp, limitsOf, Pumping, parseRecipient, readPumping } from '../../guard/index.ts'
import type { AppInForce, Principal } from '../../tenancy/index.ts'
import { askRules } from './ask-rules.ts'
import { BatchState } from './batch.ts'
import * as store from './batch-read-store.ts'
import { type IssueDependencies, routesOf } from './issue.ts'
import { compiledRules } from './own-rules/compile.ts'
import { ownRowsOf } from './own-rules/rows.ts'
import { wantedOf } from './read-batch.ts'
import { channelOf, isSimulated } from './route.ts'
import { routeOf, type Subject } from './rule.ts'
import { rulesOf } from './rules.ts'
import { hashRecipient, invalidRecipient, notARecipient } from './send.ts'
import { subjectOfSend } from './subject.ts'

export type Preview =
  | ({
      readonly channel: ChannelName
      readonly order: readonly ChannelName[]
      readonly priceMicros: bigint
      readonly decision: readonly Decided[]
    } & Carried)
  | ({ readonly error: AppError; readonly decision: readonly Decided[] } & Carried)

interface Carried {
  /** Whether the simulator would carry the message; null if it is refused before a channel is chosen. */
  readonly isSimulated: boolean | null
}

type PreviewDependencies = Omit<
  IssueDependencies,
  'handOver' | 'countUnguarded' | 'noteRefusal' | 'routeBook' | 'metrics' | 'tracer'
>

export async function preview(
  dependencies: PreviewDependencies,
  { app, kind: keyKind }: Pick<Principal, 'app' | 'kind'>,
  { recipient: text, clientIp }: { readonly recipient: string; readonly clientIp: ClientIp | null },
): Promise<Preview> {
  const { keyring, prices, reputation, providers, routeKnowledge, random } = dependencies
  const recipient = parseRecipient(text, app.settings.number_check)
  if (!recipient) return { error: invalidRecipient(), decision: [notARecipient], isSimulated: null }
  const recipientHash = hashRecipient(keyring(), recipient)
  const subject = subjectOfSend({ app, keyKind, recipient, recipientHash, clientIp, among: null })
  const book = await prices()
  const state = await readState(dependencies, app, subject)
  const learned = await routesOf(routeKnowledge, app)
  const routes = new Map(learned ? [[app.appId, learned]] : [])
  const context = { reputation, providers, prices: book, keyring: keyring(), routes, random }
  const { decided, refusal, found, wants } = askRules(rulesOf.preview, subject, state, context)
  const carried = found.route && isSimulated(subject, channelOf(found.route.step), providers)
  if (refusal) return { error: refusal, decision: decided, isSimulated: carried }
  const { order, step } = routeOf(found)
  return {
    channel: channelOf(step),
    order: order.usable,
    priceMicros: wants.paidMicros ?? 0n,
    decision: decided,
    isSimulated: carried,
  }
}

async function readState(
  { database, keyring }: PreviewDependencies,
  app: AppInForce,
  { recipientHash, ipKey, number, country }: Subject,
): Promise<BatchState> {
  const { companyId, appId } = app
  const person = { companyId, appId, recipientHash, ipKey, isFlagged: true }
  const own = compiledRules(app.rules)
  const rows = [...limitsOf(app.settings.limits, { kind: 'send', ...person }), ...ownRowsOf(own, person)]
  const [{ nowMs, funds }, { unreachable, exceptions }, limits, known] = await lookAt(
    database,
    companyId,
    (held, found) =>
      inOrder([
        found,
        store.readRemembered(held, [person]),
        store.readLimits(
          held,
          rows.map((row) => ({ companyId, row })),
          false,
        ),
        store.readKnown(held, own?.asksKnown ? [person] : []),
      ]),
  )
  const ownFunds = funds.get(companyId)
  if (!ownFunds) throw new Error('a call of a company that is not there')
  const wanted = wantedOf({ ...person, number, country, call: { app } }, keyring())
  return new BatchState({
    nowMs,
    funds: ownFunds,
    unreachable,
    exceptions,
    limits,
    known,
    pumping: await lookAtPumping(database, companyId, wanted),
    spend: await lookAtSpend(database, { companyId, appId, country }),
    verifications: new Map(),
    replays: new Map(),
  })
}

/** As in a send: if the guard cannot read its tables, it holds nothing back. */
const lookAtPumping = (database: Database, companyId: CompanyId, wanted: ReturnType<typeof wantedOf>) =>
  lookAt(database, companyId, (held, found) => inOrder([found, readPumping(held, wanted, false)])).then(
    ([at, loaded]) => {
      const own = loaded.get(companyId)
      return own ? new Pumping(own, wanted, at.nowMs) : null
    },
    () => null,
  )

/** As in a send: if spending cannot be read, no cap refuses. */
const lookAtSpend = (database: Database, spender: WantedSpend) =>
  lookAt(database, spender.companyId, (held, found) =>
    inOrder([found, readSpend(held, [spender], false)]),
  ).then(
    ([at, loaded]) => new Spend(loaded, at.nowMs),
    () => null,
  )
