/** A resend: the same verification on another channel, or on the same one once more. */

import { AppError, type Decided, type RuleFacts, type VerificationAnswer } from '@countersign/contract'
import { newId } from '../../platform/ids.ts'
import type { Keyring } from '../../platform/keyring.ts'
import { addSpend } from '../billing/index.ts'
import { recipientContext } from '../delivery/index.ts'
import { parseRecipient } from '../guard/index.ts'
import { nextChannel, type ResendStep } from '../routing/index.ts'
import type { App } from '../tenancy/index.ts'
import { type BatchState, type BatchWrites, type ResendCall, verificationKey } from './batch.ts'
import {
  bestProvider,
  charge,
  factsOfOrder,
  isSimulated,
  type JudgeContext,
  judgeGeo,
  judgeLimits,
  judgeReputation,
  orderFor,
  type Subject,
} from './judge.ts'
import { judgePrice } from './judge-price.ts'
import { judgePumping } from './judge-pumping.ts'
import { actionUrlOf, newLink, whatsappNumberOf } from './link.ts'
import { newDelivery } from './start.ts'
import { refusalOf, Trail } from './trail.ts'
import { answerOf, type Verification } from './verification.ts'

export function decideResend(
  { app, otpId, channel: named }: ResendCall,
  state: BatchState,
  writes: BatchWrites,
  context: JudgeContext,
): VerificationAnswer {
  const key = verificationKey(app.appId, otpId)
  const current = state.verifications.get(key)
  if (!current) throw new AppError('OtpNotFoundError', 'There is no such verification.')
  const trail = new Trail()
  assertPending(current, state.nowMs)
  assertCooldownOver(trail, current, state.nowMs)
  const subject = subjectOfResend(app, current, context.keyring)
  const { step: chosen, hasLink } = chooseStep(trail, state, context, subject, current, named)
  judgeGeo(trail, subject)
  const isFlagged = judgeReputation(trail, subject, context.reputation)
  const guarded =
    chosen.kind === 'message'
      ? judgePumping(trail, state, subject, {
          channel: chosen.channel,
          isSimulated: isSimulated(subject, chosen.channel, context.providers),
          isFlagged,
          hasLink,
        })
      : null
  const step = guarded?.isRerouted ? linkStep(current, app) : chosen
  const checks =
    step.kind === 'same-link' ? [] : judgeLimits(trail, state, subject, { kind: 'resend', isFlagged })
  const price = judgePrice(trail, state, context, subject, step.kind === 'message' ? step.channel : null)

  const next: Verification = {
    ...advance(current, step, app, subject, state.nowMs, context),
    ...addSpend(current, price.spendMicros, state.nowMs),
  }
  charge(state, writes, subject, checks, price)
  guarded?.record()
  state.verifications.set(key, next)
  writes.updated.set(key, next)
  writes.decisions.push({
    decisionId: newId('decision', state.nowMs),
    verification: next,
    kind: 'resend',
    rules: trail.rules,
  })
  if (step.kind !== 'same-link') {
    const provider = bestProvider(subject, next.channel, context.providers)
    if (step.kind === 'link') writes.links.push(newLink(next, provider, context.keyring))
    else writes.deliveries.push(newDelivery(next, provider.providerId, price, state.nowMs))
  }
  return answerOf(next, actionUrlOf(app, next, context.keyring))
}

function assertPending(current: Verification, nowMs: number): void {
  const status =
    current.status === 'pending' && current.expiresAt.getTime() <= nowMs ? 'expired' : current.status
  if (status === 'pending') return
  throw new AppError('OtpNotPendingError', `This verification is ${status}.`, { otp_status: status })
}

function assertCooldownOver(trail: Trail, current: Verification, nowMs: number): void {
  const retry_after = Math.max(0, Math.ceil((current.resendAt.getTime() - nowMs) / 1000))
  const rule = 'cooldown'
  if (retry_after > 0) {
    const decided: Decided = { rule, outcome: 'refuse', facts: { retry_after } }
    trail.refuse(decided, refusalOf('ResendCooldownError', decided, { scope: 'cooldown', retry_after }))
  }
  trail.add({ rule, outcome: 'pass', facts: { retry_after } })
}

/** The same link again sends nothing, so it is answered as often as somebody asks. */
function assertSendsLeft(trail: Trail, current: Verification, { kind }: ResendStep): void {
  const rule = 'send_attempts'
  if (kind === 'same-link') {
    trail.add({ rule, outcome: 'skip', facts: { because: 'same_link' } })
    return
  }
  const facts = { because: 'counted', used: current.sends, max: current.maxSends } as const
  if (current.sends >= current.maxSends) {
    const decided: Decided = { rule, outcome: 'refuse', facts }
    trail.refuse(decided, refusalOf('ResendNotAllowedError', decided))
  }
  trail.add({ rule, outcome: 'pass', facts })
}

export function subjectOfResend(app: App, current: Verification, keyring: Keyring): Subject {
  const recipient =
    current.recipient && parseRecipient(keyring.open(current.recipient, recipientContext(current.otpId)))
  if (!recipient || !current.recipientHash)
    throw new AppError('OtpNotFoundError', 'There is no such verification.')
  return {
    app,
    recipientType: recipient.type,
    country: recipient.country,
    isFixedLine: recipient.isFixedLine,
    isDisposable: recipient.isDisposable,
    number: recipient.type === 'phone' ? recipient.canonical : null,
    recipientHash: current.recipientHash,
    clientIp: current.clientIp,
    ipKey: current.ipKey,
  }
}

function chooseStep(
  trail: Trail,
  state: BatchState,
  context: JudgeContext,
  subject: Subject,
  current: Verification,
  named: ResendCall['channel'],
): { step: Exclude<ResendStep, { kind: 'nowhere' }>; hasLink: boolean } {
  const unreachable = state.unreachableFor(subject.app.appId, subject.recipientHash)
  const order = orderFor(subject, unreachable, context.providers)
  const { mode } = subject.app.settings.channels.whatsapp
  const step = nextChannel(order, mode, current, named)
  assertSendsLeft(trail, current, step)
  if (step.kind === 'nowhere') {
    const facts: RuleFacts['routing'] = named
      ? { because: 'channel_not_usable', channel: named, ...factsOfOrder(order) }
      : { because: 'no_channel_left', ...factsOfOrder(order) }
    const decided: Decided = { rule: 'routing', outcome: 'refuse', facts }
    return trail.refuse(decided, refusalOf('ResendNotAllowedError', decided))
  }
  const chosen =
    step.kind === 'message'
      ? ({ channel: step.channel, as: 'message' } as const)
      : ({ channel: 'whatsapp', as: step.kind === 'link' ? 'link' : 'same_link' } as const)
  const facts = { because: 'chosen', ...chosen, ...factsOfOrder(order) } as const
  trail.add({ rule: 'routing', outcome: 'pass', facts })
  return { step, hasLink: mode !== 'template' && order.usable.includes('whatsapp') }
}

/** Where a message that is held back goes: to the link that the person has, or to a first one. */
function linkStep({ linkMode }: Verification, { settings }: App): Exclude<ResendStep, { kind: 'nowhere' }> {
  const { mode } = settings.channels.whatsapp
  if (linkMode !== null || mode === 'template') return { kind: 'same-link' }
  return { kind: 'link', linkMode: mode }
}

/** The verification after this step. A fresh code is the next version, with a life of its own. */
function advance(
  current: Verification,
  step: Exclude<ResendStep, { kind: 'nowhere' }>,
  { settings }: App,
  subject: Subject,
  nowMs: number,
  { keyring, providers }: JudgeContext,
): Verification {
  const resendAt = new Date(nowMs + settings.resend_cooldown_s * 1000)
  if (step.kind === 'same-link') return { ...current, resendAt }
  const linkMode = step.kind === 'link' ? step.linkMode : null
  const channel = step.kind === 'link' ? 'whatsapp' : step.channel
  const moved = {
    ...current,
    channel,
    linkMode,
    linkNumber: linkMode && whatsappNumberOf(bestProvider(subject, channel, providers)),
    sends: current.sends + 1,
    resendAt,
  } as const
  if (step.kind === 'message' && !step.isFresh) return moved
  const codeVersion = current.codeVersion + 1
  const code = keyring.code(current.dataKey, current.otpId, codeVersion, current.codeLength)
  return {
    ...moved,
    codeVersion,
    codeMac: keyring.codeMac(current.dataKey, current.otpId, code),
    expiresAt: new Date(nowMs + settings.code_ttl_s * 1000),
  }
}
