/** What follows from the outcome of an attempt: each outcome has one way to go on. */
import type { ProviderError, SendOutcome } from '../../channels/channel.ts'
import type { Clock } from '../../platform/clock.ts'
import { laterThan, newId } from '../../platform/ids.ts'
import type { Keyring } from '../../platform/keyring.ts'
import type { LateWrites } from '../../platform/late-writes.ts'
import type { Log } from '../../platform/log.ts'
import { operatorOwner } from '../../platform/tenant.ts'
import type { Provider, RouteBook } from '../routing/index.ts'
import { deliveryEvent } from '../webhooks/index.ts'
import { hasErred } from './attempt.ts'
import type { Circuits } from './circuit.ts'
import { type EarlyNames, nameOfDelivery } from './early-store.ts'
import type { Finishes } from './finish.ts'
import type { Sent } from './finish-store.ts'
import { sealMessageId } from './message-id.ts'
import type { Round } from './round.ts'

export interface ConcludeDependencies {
  readonly keyring: () => Keyring
  readonly clock: Clock
  readonly circuits: Circuits
  readonly finishes: Finishes
  /** Keeps an outcome until it is written, so that it is not lost; its slot is held until then. */
  readonly outcomes: LateWrites
  /** Called when the message is written as sent: receipts for it may have come before. */
  readonly onSent: (names: EarlyNames) => void
  readonly countAttempt: (channel: string, providerKind: string, outcome: string) => void
  readonly countUncertain: (channel: string) => void
  readonly routeBook: Pick<RouteBook, 'sent'>
  readonly log: Log
}

/** False if another account may be asked at once. */
export async function isConcluded(
  dependencies: ConcludeDependencies,
  round: Round,
  provider: Provider,
  outcome: SendOutcome,
): Promise<boolean> {
  const { circuits, clock, countAttempt, log } = dependencies
  const { providerId } = provider
  countAttempt(round.due.channel, provider.kind, outcome.kind)
  if (hasErred(outcome)) circuits.erred(providerId, clock.nowMs(), outcome.kind === 'broken')
  else circuits.succeeded(providerId, clock.nowMs())
  if (outcome.kind === 'broken' && circuits.isNews(providerId, clock.nowMs()))
    log('error', 'a provider account is broken', { provider: providerId, reason: outcome.error.code })

  switch (outcome.kind) {
    case 'accepted':
      await sent(dependencies, round, provider, outcome.messageId)
      return true
    case 'uncertain':
      await leaveUncertain(dependencies, round, outcome.error, providerId)
      return true
    case 'retry':
      round.error = outcome.error
      round.isWorthWaiting = true
      round.pauseSeconds = Math.max(round.pauseSeconds, outcome.afterSeconds ?? 0)
      return false
    case 'unreachable':
      // The error of another account says more: this one may only lack a route to the person.
      if (round.tried.length === round.brokenCount) round.error = outcome.error
      round.tried.push(providerId)
      round.unreachableCount++
      return false
    case 'refused':
      round.error = outcome.error
      round.tried.push(providerId)
      return false
    case 'broken':
      if (!round.isUnreachable) round.error = outcome.error
      round.tried.push(providerId)
      round.brokenCount++
      return false
  }
}

async function sent(
  dependencies: ConcludeDependencies,
  round: Round,
  { providerId, companyId }: Provider,
  messageId: string | null,
): Promise<void> {
  const { due } = round
  const message = sealMessageId(dependencies, due, providerId, messageId)
  await markSent(dependencies, round, { providerId, message, error: null })
  const names = [
    ...(message ? [message.hash] : []),
    // Until now the row named another account, so receipts of this one were not applied.
    ...(providerId === due.providerId ? [] : [nameOfDelivery(due.deliveryId)]),
  ]
  if (names.length > 0) dependencies.onSent({ companyId: companyId ?? operatorOwner, providerId, names })
}

const unknownEnd: ProviderError = {
  code: 'uncertain',
  message: 'The process that handed the message over ended before it could say how that went.',
}

/** The message may have left, so it is never handed over again. */
export const leaveUncertain = (
  dependencies: ConcludeDependencies,
  round: Round,
  error = unknownEnd,
  providerId = round.due.providerId,
) => {
  dependencies.countUncertain(round.due.channel)
  return markSent(dependencies, round, { providerId, message: null, error })
}

/** A message that may have left with a process that died does not fail, whatever the next process was told. */
export const giveUp = (
  dependencies: ConcludeDependencies,
  round: Round,
  error: ProviderError,
  isUnreachable = false,
) =>
  round.due.takenOver === 'no'
    ? fail(dependencies, round, error, isUnreachable)
    : leaveUncertain(dependencies, round)

async function markSent(
  { outcomes, finishes, clock, routeBook }: ConcludeDependencies,
  round: Round,
  ending: Pick<Sent, 'providerId' | 'message' | 'error'>,
): Promise<void> {
  const { sentText, due } = round
  const { companyId, appId, channel, country } = due
  const nowMs = laterThan(due.deliveryId, clock.nowMs())
  // A reply in a chat goes through the account that the person wrote to, so nothing is learnt about routes.
  if (!due.replyTo)
    routeBook.sent({ companyId, appId, channel, country, providerId: ending.providerId }, nowMs)
  const row = { ...finishOf(round), ...ending, sentText, entryId: newId('entry', nowMs) }
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

export async function postpone(
  { outcomes, finishes }: ConcludeDependencies,
  round: Round,
  providerId: string,
  afterSeconds: number,
): Promise<void> {
  const row = { ...finishOf(round), providerId, afterSeconds, error: round.error }
  await outcomes.write(() => finishes.postponed(row))
}

async function fail(
  { outcomes, finishes, clock }: ConcludeDependencies,
  round: Round,
  error: ProviderError,
  isUnreachable: boolean,
): Promise<void> {
  const nowMs = laterThan(round.due.deliveryId, clock.nowMs())
  const event = deliveryEvent('failed', round.due.otpId, round.due.deliveryId, nowMs)
  const row = { ...finishOf(round), error, isUnreachable, entryId: newId('entry', nowMs), event }
  await outcomes.write(() => finishes.failed(row))
}
