/** One attempt to hand one message over, and what follows from how it ended. */
import type { OutgoingMessage, ProviderError, SendOutcome } from '../../channels/channel.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Database } from '../../platform/database.ts'
import { type AppId, newId } from '../../platform/ids.ts'
import type { Keyring } from '../../platform/keyring.ts'
import type { LateWrites } from '../../platform/late-writes.ts'
import { describeError, type Log } from '../../platform/log.ts'
import { operatorOwner } from '../../platform/tenant.ts'
import { addressOf } from '../guard/index.ts'
import {
  type AppTemplates,
  autofillOf,
  chooseLocale,
  renderMessage,
  uploadedLocales,
} from '../messages/index.ts'
import type { Provider, Providers } from '../routing/index.ts'
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
import type { Slot } from './slots.ts'
import * as store from './store.ts'

export interface DeliverDependencies {
  readonly database: Database
  readonly keyring: () => Keyring
  readonly clock: Clock
  readonly directory: Directory
  readonly providers: Providers
  readonly circuits: Circuits
  /** What a living process knows of a message is not lost; the slot is held until it is written. */
  readonly outcomes: LateWrites
  /** Receipts may have come before it was written that the message was sent. */
  readonly onSent: (names: EarlyNames) => void
  readonly callbackUrl: (providerId: string) => string
  /** Of apps that are the installation's own, in place of what their settings say. */
  readonly ownTexts: ReadonlyMap<AppId, AppTemplates>
  readonly countAttempt: (channel: string, providerKind: string, outcome: string) => void
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
}

export async function deliver(
  dependencies: DeliverDependencies,
  due: DueDelivery,
  { slot, isCovered }: Handover,
): Promise<void> {
  const { circuits, clock } = dependencies
  // It has been handed over once more, and that process died too: nobody knows, and nobody tries again.
  if (due.takenOver === 'again') return leaveUncertain(dependencies, due)
  if (due.staleReason) {
    return giveUp(dependencies, due, { code: due.staleReason, message: staleMessages[due.staleReason] })
  }
  const app = await dependencies.directory.findApp(due.appId)
  if (!app || !due.recipient) {
    return giveUp(dependencies, due, { code: 'erased', message: 'The recipient has been erased.' })
  }
  const candidates = candidatesFor(dependencies, due)
  const provider = choose(dependencies, due, candidates)
  if (!provider) {
    const error = { code: 'no_provider', message: 'No account of this channel is left to try.' }
    return due.tried.length > 0
      ? giveUp(dependencies, due, error)
      : postpone(dependencies, due, due.providerId, { error, afterSeconds: pauseSeconds(due.attempt) })
  }
  const { providerId } = provider
  // Too late, or too many: it waits in line again, and is taken when its turn comes.
  if (!isCovered() || !slot.moveTo(providerId))
    return postpone(dependencies, due, providerId, { error: null, afterSeconds: 0 })
  circuits.begin(providerId, clock.nowMs())
  const message = compose(dependencies, due, app, due.recipient, provider)
  const outcome = await attempt(dependencies, provider, message)
  await conclude(dependencies, due, provider, outcome, candidates)
}

const candidatesFor = ({ providers }: DeliverDependencies, due: DueDelivery): readonly Provider[] =>
  providers
    .usable(due.companyId, due.channel, due.country)
    .filter((provider) => !due.tried.includes(provider.providerId))

function choose(
  { circuits, clock }: DeliverDependencies,
  due: DueDelivery,
  candidates: readonly Provider[],
): Provider | undefined {
  const closed = candidates.filter(({ providerId }) => !circuits.isOpen(providerId, clock.nowMs()))
  return closed.find(({ providerId }) => providerId === due.providerId) ?? closed[0] ?? candidates[0]
}

function compose(
  { keyring: readKeyring, callbackUrl, ownTexts }: DeliverDependencies,
  due: DueDelivery,
  app: App,
  sealedRecipient: Buffer,
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
    appName: app.name,
    code,
    minutes,
    templates,
    autofill: autofillOf(autofill),
  })
  return {
    deliveryId: due.deliveryId,
    recipient: addressOf(keyring.open(sealedRecipient, recipientContext(due.otpId))),
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
  { log }: DeliverDependencies,
  provider: Provider,
  message: OutgoingMessage,
): Promise<SendOutcome> {
  try {
    return await provider.account.send(message, AbortSignal.timeout(attemptDeadlineMs))
  } catch (error) {
    // An account must not throw; if it does, whether the message left is unknown.
    log('error', 'a provider account threw', { provider: provider.providerId, ...describeError(error) })
    return { kind: 'uncertain', error: { code: 'internal', message: 'The account ended unexpectedly.' } }
  }
}

async function conclude(
  dependencies: DeliverDependencies,
  due: DueDelivery,
  provider: Provider,
  outcome: SendOutcome,
  candidates: readonly Provider[],
): Promise<void> {
  const { circuits, clock, countAttempt, log } = dependencies
  const { providerId } = provider
  countAttempt(due.channel, provider.kind, outcome.kind)
  // No answer in time is no good sign either.
  if (outcome.kind === 'broken' || outcome.kind === 'retry' || outcome.kind === 'uncertain')
    circuits.erred(providerId, clock.nowMs(), outcome.kind === 'broken')
  else circuits.succeeded(providerId)
  if (outcome.kind === 'broken')
    log('error', 'a provider account is broken', { provider: providerId, reason: outcome.error.code })

  switch (outcome.kind) {
    case 'accepted':
      return sent(dependencies, due, provider, outcome.messageId)
    case 'uncertain':
      return leaveUncertain(dependencies, { ...due, providerId }, outcome.error)
    case 'retry':
      return retry(dependencies, due, outcome, nextAfter(dependencies, providerId, candidates), candidates)
    case 'unreachable':
      return fail(dependencies, due, outcome.error, true)
    case 'refused':
    case 'broken': {
      const another = nextAfter(dependencies, providerId, candidates)
      if (!another) return fail(dependencies, due, outcome.error, false)
      const next = { error: outcome.error, afterSeconds: 0, triedProvider: providerId }
      return postpone(dependencies, due, another.providerId, next)
    }
  }
}

/** Who comes next when this one did not take the message; who is known to err comes last. */
function nextAfter(
  { circuits, clock }: DeliverDependencies,
  providerId: string,
  candidates: readonly Provider[],
): Provider | undefined {
  const others = candidates.filter((candidate) => candidate.providerId !== providerId)
  return others.find((other) => !circuits.isOpen(other.providerId, clock.nowMs())) ?? others[0]
}

/** The next account in line has its turn at once. When each has had one, all rest, and the first begins again. */
function retry(
  dependencies: DeliverDependencies,
  due: DueDelivery,
  { error, afterSeconds }: Extract<SendOutcome, { kind: 'retry' }>,
  next: Provider | undefined,
  candidates: readonly Provider[],
): Promise<void> {
  const { circuits, clock } = dependencies
  const isRoundOver = due.attempt % candidates.length === 0
  if (next && !isRoundOver && !circuits.isOpen(next.providerId, clock.nowMs()))
    return postpone(dependencies, due, next.providerId, { error, afterSeconds: 0 })
  const pause = Math.max(pauseSeconds(Math.ceil(due.attempt / candidates.length)), afterSeconds ?? 0)
  const first = candidates[0]?.providerId ?? due.providerId
  return postpone(dependencies, due, first, { error, afterSeconds: pause })
}

async function sent(
  dependencies: DeliverDependencies,
  due: DueDelivery,
  { providerId, companyId }: Provider,
  messageId: string | null,
): Promise<void> {
  const message = sealMessageId(dependencies, due, providerId, messageId)
  await markSent(dependencies, { ...due, providerId }, { message, error: null })
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
const leaveUncertain = (dependencies: DeliverDependencies, due: DueDelivery, error = unknownEnd) =>
  markSent(dependencies, due, { message: null, error })

/** What may have left is not said to have failed. */
const giveUp = (dependencies: DeliverDependencies, due: DueDelivery, error: ProviderError) =>
  due.takenOver === 'no' ? fail(dependencies, due, error, false) : leaveUncertain(dependencies, due)

async function markSent(
  { outcomes, database, clock }: DeliverDependencies,
  due: DueDelivery,
  ending: Pick<store.Sent, 'message' | 'error'>,
): Promise<void> {
  const nowMs = clock.nowMs()
  const entryId = newId('entry', nowMs)
  await outcomes.write(() => store.markSent(database.of(due.companyId), due, { ...ending, entryId, nowMs }))
}

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
  { outcomes, database }: DeliverDependencies,
  due: DueDelivery,
  providerId: string,
  next: { error: ProviderError | null; afterSeconds: number; triedProvider?: string },
): Promise<void> {
  const finish = { ...due, providerId }
  const tenant = database.of(due.companyId)
  await outcomes.write(() => store.postpone(tenant, finish, { triedProvider: null, ...next }))
}

async function fail(
  { outcomes, database, clock }: DeliverDependencies,
  due: DueDelivery,
  error: ProviderError,
  isUnreachable: boolean,
): Promise<void> {
  const nowMs = clock.nowMs()
  const event = deliveryEvent('failed', due.otpId, due.deliveryId, nowMs)
  const failure = { error, isUnreachable, entryId: newId('entry', nowMs), event }
  await outcomes.write(() => store.markFailed(database.of(due.companyId), due, failure))
}
