/** One attempt to hand one message over, and what follows from how it ended. */
import type { OutgoingMessage, ProviderError, SendOutcome } from '../../channels/channel.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Database } from '../../platform/database.ts'
import { type AppId, newId } from '../../platform/ids.ts'
import type { Keyring } from '../../platform/keyring.ts'
import { describeError, type Log } from '../../platform/log.ts'
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
import * as store from './store.ts'

export interface DeliverDependencies {
  readonly database: Database
  readonly keyring: () => Keyring
  readonly clock: Clock
  readonly directory: Directory
  readonly providers: Providers
  readonly circuits: Circuits
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

export async function deliver(dependencies: DeliverDependencies, due: DueDelivery): Promise<void> {
  const { providers, circuits, clock } = dependencies
  if (due.staleReason) {
    return fail(dependencies, due, { code: due.staleReason, message: staleMessages[due.staleReason] }, false)
  }
  const app = await dependencies.directory.findApp(due.appId)
  if (!app || !due.recipient) {
    return fail(dependencies, due, { code: 'erased', message: 'The recipient has been erased.' }, false)
  }
  const candidates = providers
    .usable(due.companyId, due.channel, due.country)
    .filter((provider) => !due.tried.includes(provider.providerId))
  const closed = candidates.filter((provider) => !circuits.isOpen(provider.providerId, clock.nowMs()))
  const provider =
    closed.find((candidate) => candidate.providerId === due.providerId) ?? closed[0] ?? candidates[0]
  if (!provider) {
    const error = { code: 'no_provider', message: 'No account of this channel is left to try.' }
    return due.tried.length > 0
      ? fail(dependencies, due, error, false)
      : retry(dependencies, due, due.providerId, error, null)
  }
  const message = compose(dependencies, due, app, due.recipient, provider)
  const outcome = await attempt(dependencies, provider, message)
  await conclude(dependencies, due, provider, outcome, candidates)
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
  const { circuits, clock, countAttempt, database, log } = dependencies
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
    case 'uncertain': {
      const nowMs = clock.nowMs()
      const sent = {
        message:
          outcome.kind === 'accepted'
            ? sealMessageId(dependencies, due, providerId, outcome.messageId)
            : null,
        error: outcome.kind === 'uncertain' ? outcome.error : null,
        entryId: newId('entry', nowMs),
        nowMs,
      }
      return store.markSent(database, { ...due, providerId }, sent)
    }
    case 'retry':
      return retry(dependencies, due, providerId, outcome.error, outcome.afterSeconds)
    case 'unreachable':
      return fail(dependencies, due, outcome.error, true)
    case 'refused':
    case 'broken': {
      const another = candidates.find((candidate) => candidate.providerId !== providerId)
      if (!another) return fail(dependencies, due, outcome.error, false)
      const next = { afterSeconds: 0, error: outcome.error, triedProvider: providerId }
      return store.postpone(database, { ...due, providerId: another.providerId }, next)
    }
  }
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

function retry(
  { database }: DeliverDependencies,
  due: DueDelivery,
  providerId: string,
  error: ProviderError,
  afterSeconds: number | null,
): Promise<void> {
  const pause = Math.max(pauseSeconds(due.attempt), afterSeconds ?? 0)
  return store.postpone(database, { ...due, providerId }, { afterSeconds: pause, error, triedProvider: null })
}

function fail(
  { database, clock }: DeliverDependencies,
  due: DueDelivery,
  error: ProviderError,
  isUnreachable: boolean,
): Promise<void> {
  const nowMs = clock.nowMs()
  const event = deliveryEvent('failed', due.otpId, due.deliveryId, nowMs)
  return store.markFailed(database, due, { error, isUnreachable, entryId: newId('entry', nowMs), event })
}
