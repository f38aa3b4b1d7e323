/** One attempt to hand one message over, and what follows from how it ended. */
import type { OutgoingMessage, ProviderError, SendOutcome } from '../../channels/channel.ts'
import type { Clock } from '../../platform/clock.ts'
import { startDeadline } from '../../platform/deadline.ts'
import { type AppId, newId } from '../../platform/ids.ts'
import type { Keyring } from '../../platform/keyring.ts'
import type { LateWrites } from '../../platform/late-writes.ts'
import { describeError, type Log } from '../../platform/log.ts'
import { operatorOwner } from '../../platform/tenant.ts'
import type { Tracer } from '../../platform/trace.ts'
import { addressOf } from '../guard/index.ts'
import {
  type AppTemplates,
  autofillOf,
  chooseLocale,
  renderMessage,
  uploadedLocales,
} from '../messages/index.ts'
import type { HealthBook, Provider, Providers, RouteBook } from '../routing/index.ts'
import type { App, Directory } from '../tenancy/index.ts'
import { deliveryEvent } from '../webhooks/index.ts'
import type { Circuits } from './circuit.ts'
import {
  attemptDeadlineMs,
  type DueDelivery,
  messageContext,
  pauseSeconds,
  recipientContext,
} from './delivery.ts'
import { type EarlyNames, nameOfDelivery } from './early-store.ts'
import type { Finishes } from './finish.ts'
import type { Sent } from './finish-store.ts'
import { maskedText } from './masked-text.ts'
import type { Slot } from './slots.ts'

export interface DeliverDependencies {
  readonly keyring: () => Keyring
  readonly clock: Clock
  readonly directory: Directory
  readonly providers: Providers
  readonly circuits: Circuits
  readonly finishes: Finishes
  /** What a living process knows of a message is not lost; the slot is held until it is written. */
  readonly outcomes: LateWrites
  /** Receipts may have come before it was written that the message was sent. */
  readonly onSent: (names: EarlyNames) => void
  readonly callbackUrl: (providerId: string) => string
  /** Texts of the installation's own apps, used in place of their settings. */
  readonly ownTexts: ReadonlyMap<AppId, AppTemplates>
  readonly countAttempt: (channel: string, providerKind: string, outcome: string) => void
  readonly countUncertain: (channel: string) => void
  readonly tracer?: Tracer | null
  readonly health: Pick<HealthBook, 'attempted'>
  readonly routeBook: Pick<RouteBook, 'sent'>
  readonly log: Log
}

const staleMessages = {
  expired: 'The code’s life was over before a provider took the message.',
  superseded: 'A newer code has replaced this one.',
  finished: 'The verification was finished before the message left.',
} as const

/** A delivery that this worker holds. */
export interface Handover {
  readonly slot: Slot
  /** Whether an attempt that begins now ends while nobody else may take the delivery. */
  readonly isCovered: () => boolean
  /** As it stands now, where that was read a while ago; null where somebody else has it or has finished it. */
  readonly refresh: (due: DueDelivery) => Promise<DueDelivery | null>
}

export async function deliver(
  dependencies: DeliverDependencies,
  due: DueDelivery,
  handover: Handover,
): Promise<void> {
  const round = new Round(due)
  // It has been handed over once more, and that process died too: nobody knows, and nobody tries again.
  if (due.takenOver === 'again') return leaveUncertain(dependencies, round)
  const app = await dependencies.directory.findApp(due.appId)
  const problem = problemOf(due, app)
  if (problem || !app) return giveUp(dependencies, round, problem ?? erased)
  return askInTurn(dependencies, round, app, handover)
}

const erased = { code: 'erased', message: 'The recipient has been erased.' }

/** Why it helps nobody any more. */
function problemOf({ staleReason, recipient }: DueDelivery, app: App | undefined): ProviderError | null {
  if (staleReason) return { code: staleReason, message: staleMessages[staleReason] }
  return app && recipient ? null : erased
}

/** What has been asked and said since the delivery was taken. */
class Round {
  due: DueDelivery
  /** Accounts that will not take it, now or later. */
  readonly tried: string[]
  readonly #asked = new Set<string>()
  error: ProviderError | null = null
  /** Whether an account that was asked might take it later. */
  isWorthWaiting = false
  /** The longest pause that an asked account wished for. */
  pauseSeconds = 0
  /** What the person would read, with the code masked. */
  sentText: string | null = null

  constructor(due: DueDelivery) {
    this.due = due
    this.tried = [...due.tried]
  }

  ask(providerId: string): void {
    this.#asked.add(providerId)
  }

  hasAsked(providerId: string): boolean {
    return this.#asked.has(providerId)
  }

  get isBegun(): boolean {
    return this.#asked.size > 0
  }

  /** The first one was counted when the delivery was taken. */
  get further(): number {
    return Math.max(0, this.#asked.size - 1)
  }
}

/** One account after the other, each once; when all have been asked and some may take it later, it rests. */
async function askInTurn(
  dependencies: DeliverDependencies,
  round: Round,
  app: App,
  { slot, isCovered, refresh }: Handover,
): Promise<void> {
  const { circuits, clock } = dependencies
  for (;;) {
    const provider = choose(dependencies, round)
    if (!provider) return endRound(dependencies, round)
    const { providerId } = provider
    // Too late, or too many: it waits in line again, and is taken when its turn comes.
    if (!(await slot.enter(providerId)) || !isCovered()) return postpone(dependencies, round, providerId, 0)
    // While it waited for its turn, the account may have gone down.
    if (choose(dependencies, round)?.providerId !== providerId) {
      slot.leave('unasked')
      continue
    }
    const due = await refresh(round.due)
    if (!due) return
    round.due = due
    // To read it took time too.
    if (!isCovered()) return postpone(dependencies, round, providerId, 0)
    const { recipient } = due
    const problem = problemOf(due, app)
    if (problem || !recipient) return giveUp(dependencies, round, problem ?? erased)
    circuits.begin(providerId, clock.nowMs())
    round.ask(providerId)
    const message = compose(dependencies, due, { app, recipient }, provider)
    round.sentText = maskedText(due.channel, message)
    const startedAtMs = performance.now()
    const outcome = await attempt(dependencies, provider, slot, message)
    traceAttempt(dependencies, round.due, provider, outcome, performance.now() - startedAtMs)
    if (await isConcluded(dependencies, round, provider, outcome)) return
  }
}

const candidatesFor = ({ providers }: DeliverDependencies, { due, tried }: Round): readonly Provider[] =>
  providers
    .usable(due.companyId, due.channel, due.country)
    .filter((provider) => !tried.includes(provider.providerId))

/** The one that it waits for, or the next in line; one that is down is asked only where nobody else is left. */
function choose(dependencies: DeliverDependencies, round: Round): Provider | undefined {
  const { circuits, clock } = dependencies
  const left = candidatesFor(dependencies, round).filter(({ providerId }) => !round.hasAsked(providerId))
  const up = left.filter(
    ({ providerId, account }) =>
      !circuits.isOpen(providerId, clock.nowMs()) && account.connection?.().kind !== 'down',
  )
  const wanted = up.find(({ providerId }) => providerId === round.due.providerId)
  // After one that might take it later, nobody who is known to err is asked.
  return wanted ?? up[0] ?? (round.isWorthWaiting ? undefined : left[0])
}

function endRound(dependencies: DeliverDependencies, round: Round): Promise<void> {
  const { due, error } = round
  const candidates = candidatesFor(dependencies, round)
  const [first] = candidates
  if (!first) {
    if (error && round.isBegun) return giveUp(dependencies, round, error)
    round.error = { code: 'no_provider', message: 'No account of this channel is left to try.' }
    if (round.tried.length > 0) return giveUp(dependencies, round, round.error)
    return postpone(dependencies, round, due.providerId, pauseSeconds(due.attempt))
  }
  const rounds = Math.ceil((due.attempt + round.further) / candidates.length)
  return postpone(dependencies, round, first.providerId, Math.max(pauseSeconds(rounds), round.pauseSeconds))
}

function compose(
  { keyring: readKeyring, callbackUrl, ownTexts }: DeliverDependencies,
  due: DueDelivery,
  { app, recipient }: { readonly app: App; readonly recipient: Buffer },
  provider: Provider,
): OutgoingMessage {
  const keyring = readKeyring()
  const code = keyring.code(due.dataKey, due.otpId, due.codeVersion, due.codeLength)
  const minutes = Math.max(1, Math.round(due.ttlSeconds / 60))
  const { messages, autofill, default_locale: appLocale } = app.settings
  const templates = ownTexts.get(app.appId) ?? messages
  const uploaded = due.channel === 'telegram' ? new Set<string>() : uploadedLocales(templates, due.channel)
  const locale = chooseLocale(due.locale, appLocale, uploaded)
  const { text, subject, html } = renderMessage({
    channel: due.channel,
    locale,
    appName: due.called ?? app.name,
    code,
    minutes,
    templates,
    autofill: autofillOf(autofill),
  })
  return {
    deliveryId: due.deliveryId,
    recipient: addressOf(keyring.open(recipient, recipientContext(due.otpId))),
    code,
    text,
    subject,
    html,
    locale,
    ttlSeconds: due.ttlSeconds,
    inReplyTo: due.replyTo && keyring.open(due.replyTo, messageContext(due.otpId)),
    callbackUrl: callbackUrl(provider.providerId),
  }
}

async function attempt(
  { log, health }: DeliverDependencies,
  provider: Provider,
  slot: Slot,
  message: OutgoingMessage,
): Promise<SendOutcome> {
  const startedAtMs = performance.now()
  const deadline = startDeadline(attemptDeadlineMs)
  try {
    const outcome = await provider.account.send(message, deadline.signal)
    const latencyMs = performance.now() - startedAtMs
    slot.leave(hasErred(outcome) ? 'erred' : { latencyMs })
    health.attempted(provider, outcome, latencyMs)
    return outcome
  } catch (error) {
    slot.leave('erred')
    // An account must not throw; if it does, whether the message left is unknown.
    log('error', 'a provider account threw', { provider: provider.providerId, ...describeError(error) })
    return { kind: 'uncertain', error: { code: 'internal', message: 'The account ended unexpectedly.' } }
  } finally {
    deadline.clear()
  }
}

function traceAttempt(
  { tracer }: DeliverDependencies,
  { otpId, appId, deliveryId, channel, country, attempt: number }: DueDelivery,
  { providerId, kind }: Provider,
  outcome: SendOutcome,
  durationMs: number,
): void {
  tracer?.record({
    subject: otpId,
    name: `carrier ${channel}`,
    kind: 'client',
    durationMs,
    isError: outcome.kind !== 'accepted',
    attributes: {
      'countersign.app_id': appId,
      'countersign.delivery_id': deliveryId,
      'countersign.channel': channel,
      ...(country ? { 'countersign.country': country } : {}),
      'countersign.provider': kind,
      'countersign.account': providerId,
      'countersign.attempt': number,
      'countersign.outcome': outcome.kind,
      ...(outcome.kind === 'accepted' ? {} : { 'error.type': outcome.error.code }),
    },
  })
}

/** An account that does not answer in time errs too. */
const hasErred = ({ kind }: SendOutcome) => kind === 'broken' || kind === 'retry' || kind === 'uncertain'

/** False where another account may be asked at once. */
async function isConcluded(
  dependencies: DeliverDependencies,
  round: Round,
  provider: Provider,
  outcome: SendOutcome,
): Promise<boolean> {
  const { circuits, clock, countAttempt, log } = dependencies
  const { providerId } = provider
  countAttempt(round.due.channel, provider.kind, outcome.kind)
  if (hasErred(outcome)) circuits.erred(providerId, clock.nowMs(), outcome.kind === 'broken')
  else circuits.succeeded(providerId)
  if (outcome.kind === 'broken')
    log('error', 'a provider account is broken', { provider: providerId, reason: outcome.error.code })

  switch (outcome.kind) {
    case 'accepted':
      await sent(dependencies, round, provider, outcome.messageId)
      return true
    case 'uncertain':
      await leaveUncertain(dependencies, round, outcome.error, providerId)
      return true
    case 'unreachable':
      await giveUp(dependencies, round, outcome.error, true)
      return true
    case 'retry':
      round.error = outcome.error
      round.isWorthWaiting = true
      round.pauseSeconds = Math.max(round.pauseSeconds, outcome.afterSeconds ?? 0)
      return false
    case 'refused':
    case 'broken':
      round.error = outcome.error
      round.tried.push(providerId)
      return false
  }
}

async function sent(
  dependencies: DeliverDependencies,
  round: Round,
  { providerId, companyId }: Provider,
  messageId: string | null,
): Promise<void> {
  const { due } = round
  const message = sealMessageId(dependencies, due, providerId, messageId)
  await markSent(dependencies, round, { providerId, message, error: null })
  const names = [
    ...(message ? [message.hash] : []),
    // The row named another account until now, and this one's receipts were not believed.
    ...(providerId === due.providerId ? [] : [nameOfDelivery(due.deliveryId)]),
  ]
  if (names.length > 0) dependencies.onSent({ companyId: companyId ?? operatorOwner, providerId, names })
}

const unknownEnd: ProviderError = {
  code: 'uncertain',
  message: 'The process that handed the message over ended before it could say how that went.',
}

/** It may have left, so it is never handed over again. */
const leaveUncertain = (
  dependencies: DeliverDependencies,
  round: Round,
  error = unknownEnd,
  providerId = round.due.providerId,
) => {
  dependencies.countUncertain(round.due.channel)
  return markSent(dependencies, round, { providerId, message: null, error })
}

/** What may have left with a process that died is not said to have failed, whatever the next one was told. */
const giveUp = (
  dependencies: DeliverDependencies,
  round: Round,
  error: ProviderError,
  isUnreachable = false,
) =>
  round.due.takenOver === 'no'
    ? fail(dependencies, round, error, isUnreachable)
    : leaveUncertain(dependencies, round)

async function markSent(
  { outcomes, finishes, clock, routeBook }: DeliverDependencies,
  round: Round,
  ending: Pick<Sent, 'providerId' | 'message' | 'error'>,
): Promise<void> {
  const { sentText, due } = round
  const { companyId, appId, channel, country } = due
  // The answer in a chat goes back by the account that was written to: nobody chose it.
  if (!due.replyTo)
    routeBook.sent({ companyId, appId, channel, country, providerId: ending.providerId }, clock.nowMs())
  const row = { ...finishOf(round), ...ending, sentText, entryId: newId('entry', clock.nowMs()) }
  await outcomes.write(() => finishes.sent(row))
}

const finishOf = ({ due, further, tried }: Round) => ({
  companyId: due.companyId,
  appId: due.appId,
  deliveryId: due.deliveryId,
  otpId: due.otpId,
  attempt: due.attempt,
  further,
  tried: tried.length > due.tried.length ? tried : null,
})

/** Found again by its hash, which is the account's own: two accounts may give the same id. */
export const hashMessageId = (keyring: Keyring, providerId: string, messageId: string) =>
  keyring.lookupHash('message', `${providerId} ${messageId}`)

function sealMessageId(
  { keyring: readKeyring, clock }: DeliverDependencies,
  due: DueDelivery,
  providerId: string,
  messageId: string | null,
) {
  if (messageId === null) return null
  const keyring = readKeyring()
  const sealedId = keyring.seal(keyring.current(clock.nowMs()), messageId, messageContext(due.otpId))
  return { sealedId, hash: hashMessageId(keyring, providerId, messageId) }
}

async function postpone(
  { outcomes, finishes }: DeliverDependencies,
  round: Round,
  providerId: string,
  afterSeconds: number,
): Promise<void> {
  const row = { ...finishOf(round), providerId, afterSeconds, error: round.error }
  await outcomes.write(() => finishes.postponed(row))
}

async function fail(
  { outcomes, finishes, clock }: DeliverDependencies,
  round: Round,
  error: ProviderError,
  isUnreachable: boolean,
): Promise<void> {
  const nowMs = clock.nowMs()
  const event = deliveryEvent('failed', round.due.otpId, round.due.deliveryId, nowMs)
  const row = { ...finishOf(round), error, isUnreachable, entryId: newId('entry', nowMs), event }
  await outcomes.write(() => finishes.failed(row))
}
