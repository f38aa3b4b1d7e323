/** One call to one account, with a deadline. */
import type { OutgoingMessage, SendOutcome } from '../../channels/channel.ts'
import type { Clock } from '../../platform/clock.ts'
import { startDeadline } from '../../platform/deadline.ts'
import { describeError, type Log } from '../../platform/log.ts'
import type { Tracer } from '../../platform/trace.ts'
import type { HealthBook, Provider } from '../routing/index.ts'
import type { Circuits } from './circuit.ts'
import { attemptDeadlineMs, type DueDelivery } from './delivery.ts'
import type { Slot } from './slots.ts'

/** When an account begins to look as if it hangs: far longer than carriers take, and long before the deadline. */
const patienceMs = 4_000

export interface AttemptDependencies {
  readonly clock: Clock
  readonly circuits: Circuits
  readonly health: Pick<HealthBook, 'attempted'>
  readonly tracer?: Tracer | null
  readonly log: Log
}

export async function attempt(
  { clock, circuits, log, health }: AttemptDependencies,
  provider: Provider,
  slot: Slot,
  message: OutgoingMessage,
): Promise<SendOutcome> {
  const startedAtMs = performance.now()
  const deadline = startDeadline(attemptDeadlineMs)
  const beganAtMs = clock.nowMs()
  const impatience = setTimeout(
    () => circuits.keptWaiting(provider.providerId, beganAtMs, clock.nowMs()),
    patienceMs,
  ).unref()
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
    clearTimeout(impatience)
    deadline.clear()
  }
}

export function traceAttempt(
  { tracer }: AttemptDependencies,
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

/** An account that does not answer in time has erred too. */
export const hasErred = ({ kind }: SendOutcome) =>
  kind === 'broken' || kind === 'retry' || kind === 'uncertain'
