/** A send: may it happen, on which channel, at what price; and the verification that it starts. */

import type { VerificationAnswer } from '@countersign/contract'
import { newId } from '../../platform/ids.ts'
import { addSpend } from '../billing/index.ts'
import { recipientContext } from '../delivery/index.ts'
import type { ResendStep } from '../routing/index.ts'
import { type BatchState, type BatchWrites, type SendCall, stateKey } from './batch.ts'
import {
  bestProvider,
  charge,
  factsOfOrder,
  isSimulated,
  type JudgeContext,
  judgeGeo,
  judgeLimits,
  judgeRecipient,
  judgeReputation,
  orderFor,
  type Subject,
} from './judge.ts'
import { judgePrice, type Price } from './judge-price.ts'
import { judgePumping } from './judge-pumping.ts'
import { actionUrlOf, newLink, whatsappNumberOf } from './link.ts'
import { refusalOf, Trail } from './trail.ts'
import { answerOf, type Verification } from './verification.ts'

export const answerContext = 'answer of a send'
const noSpend = { spendMicros: 0n, spendAt: null }

export function subjectOfSend({ app, recipient, recipientHash, clientIp }: Omit<SendCall, 'kind'>): Subject {
  return {
    app,
    recipientType: recipient.type,
    country: recipient.country,
    isFixedLine: recipient.isFixedLine,
    isDisposable: recipient.isDisposable,
    number: recipient.type === 'phone' ? recipient.canonical : null,
    recipientHash,
    clientIp: clientIp?.address ?? null,
    ipKey: clientIp?.limitKey ?? null,
  }
}

/** What a send would do now, refusals thrown; a preview asks the same. */
export function judgeSend(trail: Trail, state: BatchState, context: JudgeContext, subject: Subject) {
  judgeRecipient(trail, subject)
  judgeGeo(trail, subject)
  const isFlagged = judgeReputation(trail, subject, context.reputation)
  const order = orderFor(
    subject,
    state.unreachableFor(subject.app.appId, subject.recipientHash),
    context.providers,
  )
  const [chosen] = order.usable
  if (!chosen) {
    const facts = { because: 'no_channel', ...factsOfOrder(order) } as const
    const decided = { rule: 'routing', outcome: 'refuse', facts } as const
    return trail.refuse(decided, refusalOf('NoEnabledChannelError', decided))
  }
  const { mode } = subject.app.settings.channels.whatsapp
  const as = chosen === 'whatsapp' && mode !== 'template' ? 'link' : 'message'
  const facts = { because: 'chosen', channel: chosen, as, ...factsOfOrder(order) } as const
  trail.add({ rule: 'routing', outcome: 'pass', facts })
  const hasLink = mode !== 'template' && order.usable.includes('whatsapp')
  const guarded = judgePumping(trail, state, subject, {
    channel: chosen,
    isSimulated: isSimulated(subject, chosen, context.providers),
    isFlagged,
    hasLink,
  })
  const channel = guarded.isRerouted ? 'whatsapp' : chosen
  const checks = judgeLimits(trail, state, subject, { kind: 'send', isFlagged })
  const step: Extract<ResendStep, { kind: 'link' | 'message' }> =
    channel === 'whatsapp' && mode !== 'template'
      ? { kind: 'link', linkMode: mode }
      : { kind: 'message', channel, isFresh: true }
  const price = judgePrice(trail, state, context, subject, step.kind === 'link' ? null : channel)
  return { order, channel, checks, step, price, guarded }
}

export function decideSend(
  call: SendCall,
  state: BatchState,
  writes: BatchWrites,
  context: JudgeContext,
): VerificationAnswer {
  const { app, idempotencyHash } = call
  const replay = idempotencyHash && state.replays.get(stateKey(app.companyId, idempotencyHash))
  if (replay) return replay.answer

  const trail = new Trail()
  const subject = subjectOfSend(call)
  const { channel, checks, step, price, guarded } = judgeSend(trail, state, context, subject)
  const provider = bestProvider(subject, channel, context.providers)
  const linkMode = step.kind === 'link' ? step.linkMode : null
  const started = startVerification(call, state.nowMs, context)
  const verification: Verification = {
    ...started,
    channel,
    linkMode,
    linkNumber: linkMode && whatsappNumberOf(provider),
    ...addSpend(noSpend, price.spendMicros, state.nowMs),
  }

  charge(state, writes, subject, checks, price)
  guarded.record()
  writes.inserted.push(verification)
  writes.decisions.push({
    decisionId: newId('decision', state.nowMs),
    verification,
    kind: 'send',
    rules: trail.rules,
  })
  if (linkMode) writes.links.push(newLink(verification, provider, context.keyring))
  else writes.deliveries.push(newDelivery(verification, provider.providerId, price, state.nowMs))

  const answer = answerOf(verification, actionUrlOf(app, verification, context.keyring))
  if (idempotencyHash) {
    const stored = { recipientHash: call.recipientHash, answer }
    const sealedAnswer = context.keyring.seal(verification.dataKey, JSON.stringify(answer), answerContext)
    state.replays.set(stateKey(app.companyId, idempotencyHash), stored)
    writes.replays.push({ ...stored, companyId: app.companyId, idempotencyHash, sealedAnswer })
  }
  return answer
}

export function newDelivery(
  verification: Verification,
  providerId: string,
  { paidMicros, spendMicros }: Price,
  nowMs: number,
) {
  return {
    deliveryId: newId('delivery', nowMs),
    verification,
    providerId,
    priceMicros: paidMicros,
    spendMicros,
    entryId: newId('entry', nowMs),
  }
}

function startVerification(call: SendCall, nowMs: number, { keyring }: JudgeContext) {
  const { app, recipient, recipientHash, clientIp, locale } = call
  const { settings } = app
  const otpId = newId('verification', nowMs)
  const dataKey = keyring.current(nowMs)
  const code = keyring.code(dataKey, otpId, 1, settings.code_length)
  return {
    appId: app.appId,
    otpId,
    companyId: app.companyId,
    status: 'pending',
    recipientType: recipient.type,
    recipient: keyring.seal(dataKey, recipient.written, recipientContext(otpId)),
    recipientHash,
    maskedRecipient: recipient.masked,
    country: recipient.country,
    locale,
    dataKey,
    codeVersion: 1,
    codeLength: settings.code_length,
    codeMac: keyring.codeMac(dataKey, otpId, code),
    attempts: 0,
    maxAttempts: settings.max_verify_attempts,
    sends: 1,
    maxSends: settings.max_sends,
    clientIp: clientIp?.address ?? null,
    ipKey: clientIp?.limitKey ?? null,
    createdAt: new Date(nowMs),
    expiresAt: new Date(nowMs + settings.code_ttl_s * 1000),
    resendAt: new Date(nowMs + settings.resend_cooldown_s * 1000),
    verifiedAt: null,
    approvedBy: null,
    replayUntil: null,
  } as const
}
