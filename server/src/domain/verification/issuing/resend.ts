/** A resend: the same verification on another channel, or on the same one once more. */

import type { VerificationAnswer } from '@countersign/contract'
import { newId } from '../../../platform/ids.ts'
import { addSpend } from '../../billing/index.ts'
import { actionUrlOf, newLink, whatsappNumberOf } from '../link.ts'
import { answerOf, endOf, otpNotFound, type Verification } from '../verification.ts'
import { askRules } from './ask-rules.ts'
import { assertAccepted } from './assert-accepted.ts'
import { type BatchState, type BatchWrites, type ResendCall, verificationKey } from './batch.ts'
import { carryOut, keep } from './carry-out.ts'
import { bestProvider, channelOf } from './route.ts'
import { type RuleContext, routeOf, type Step, type Subject } from './rule.ts'
import { rulesOf } from './rules.ts'
import { newDelivery } from './start.ts'
import { subjectOfEnded, subjectOfResend } from './subject.ts'

export function decideResend(
  call: ResendCall,
  state: BatchState,
  writes: BatchWrites,
  context: RuleContext,
): VerificationAnswer {
  const { app, otpId, friendlyName } = call
  const key = verificationKey(app.appId, otpId)
  const current = state.verifications.get(key)
  if (!current) throw otpNotFound()
  const subject = endOf(current, state.nowMs)
    ? subjectOfEnded(call, current)
    : subjectOfResend(call, current, context.keyring)
  const asked = askRules(rulesOf.resend, subject, state, context)
  keep(asked.keeps, subject, state, writes)
  assertAccepted(asked, { call, subject }, state, writes, context)
  const { wants } = asked
  const { step } = routeOf(asked.found)

  const next: Verification = {
    ...advance(current, step, subject, state.nowMs, context),
    friendlyName: friendlyName === undefined ? current.friendlyName : friendlyName,
    ...addSpend(current, wants.spendMicros ?? 0n, state.nowMs),
  }
  carryOut(wants, subject, state, writes)
  state.verifications.set(key, next)
  writes.updated.set(key, next)
  writes.decisions.push({
    decisionId: newId('decision', state.nowMs),
    verification: next,
    kind: 'resend',
    keyKind: subject.keyKind,
    rules: asked.decided,
  })
  if (step.kind !== 'same-link') {
    const provider = asked.found.account ?? bestProvider(subject, next.channel, context.providers)
    if (step.kind === 'link') writes.links.push(newLink(next, provider, context.keyring))
    else writes.deliveries.push(newDelivery(next, provider.providerId, wants, state.nowMs))
  }
  return answerOf(next, actionUrlOf(app, next, context.keyring))
}

/** The verification after this step. A fresh code is the next version, with an expiry of its own. */
function advance(
  current: Verification,
  step: Step,
  subject: Subject,
  nowMs: number,
  { keyring, providers }: RuleContext,
): Verification {
  const { settings } = subject.app
  const resendAt = new Date(nowMs + settings.resend_cooldown_s * 1000)
  if (step.kind === 'same-link') return { ...current, resendAt }
  const linkMode = step.kind === 'link' ? step.linkMode : null
  const channel = channelOf(step)
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
