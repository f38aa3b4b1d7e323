/** One attempt to bring one event to its endpoint, and what follows from how it ended. */
import type { WebhookEvent } from '@countersign/contract'
import type { Clock } from '../../platform/clock.ts'
import type { Keyring } from '../../platform/keyring.ts'
import type { Log } from '../../platform/log.ts'
import type { SafePost } from '../../platform/safe-post.ts'
import type { Tracer } from '../../platform/trace.ts'
import type { DueEvent } from './claim-store.ts'
import { secretContext } from './endpoint.ts'
import type { Outcomes } from './outcomes.ts'
import { nextDelaySeconds, parseRetryAfter } from './schedule.ts'
import { sign, signedHeaders } from './sign.ts'

export interface SendEventDependencies {
  readonly outcomes: Outcomes
  readonly keyring: () => Keyring
  readonly clock: Clock
  readonly post: SafePost
  readonly random: () => number
  readonly log: Log
  readonly countAttempt: (outcome: 'taken' | 'failed') => void
  readonly tracer?: Tracer | null
}

/** Called with the endpoint's answer, before it is written. */
export type OnAnswer = (answered: { readonly isTaken: boolean; readonly latencyMs: number }) => void

export async function sendEvent(
  dependencies: SendEventDependencies,
  due: DueEvent,
  onAnswer: OnAnswer,
): Promise<void> {
  const { clock, post, random, log, countAttempt, outcomes } = dependencies
  const startedAt = performance.now()
  const signed = signedOf(dependencies, due)
  const result = await post(due.url, due.body, signedHeaders(due.eventId, signed))
  const attempt = {
    signed,
    status: result.status,
    latencyMs: Math.round(performance.now() - startedAt),
    answer: result.answer,
    error: result.error,
  }
  const isTaken = result.status !== null && result.status >= 200 && result.status < 300
  countAttempt(isTaken ? 'taken' : 'failed')
  if (dependencies.tracer) traceEvent(dependencies.tracer, due, { isTaken, ...attempt })
  onAnswer({ isTaken, latencyMs: attempt.latencyMs })
  if (isTaken) return outcomes.taken(due, attempt)

  const { isCutOff } = result
  const isGone = result.status === 410
  const planned = due.isRetried
    ? nextDelaySeconds(due.attempt, parseRetryAfter(result.retryAfter, clock.nowMs()), random())
    : null
  // A 410 and a failed probe pause the endpoint, and the event then waits with the rest.
  const delaySeconds = isGone || due.isProbe ? 0 : planned
  const pausedBecause = await outcomes.failed(due, attempt, { delaySeconds, isGone, isCutOff })
  if (pausedBecause)
    log('warn', 'a webhook endpoint was paused', {
      app_id: due.appId,
      endpoint_id: due.endpointId,
      reason: pausedBecause,
    })
}

/** Leaves out the address, which may contain a secret. */
function traceEvent(
  tracer: Tracer,
  due: DueEvent,
  answered: { readonly isTaken: boolean; readonly status: number | null; readonly latencyMs: number },
): void {
  const { type, payload }: WebhookEvent = JSON.parse(due.body)
  tracer.record({
    subject: payload.otp_id,
    name: `webhook ${type}`,
    kind: 'client',
    durationMs: answered.latencyMs,
    isError: !answered.isTaken,
    attributes: {
      'countersign.app_id': due.appId,
      'countersign.event_id': due.eventId,
      'countersign.event_type': type,
      'countersign.endpoint_id': due.endpointId,
      'countersign.attempt': due.attempt,
      ...(answered.status === null ? {} : { 'http.response.status_code': answered.status }),
    },
  })
}

function signedOf({ keyring: readKeyring, clock }: SendEventDependencies, due: DueEvent): string {
  const keyring = readKeyring()
  const context = secretContext(due.endpointId)
  const secrets = {
    current: keyring.open(due.secret, context),
    previous: due.previousSecret && keyring.open(due.previousSecret, context),
  }
  return sign(due.eventId, due.body, secrets, clock.nowMs())
}
