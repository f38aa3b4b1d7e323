/** Decides a send: whether it may happen, on which channel and at what price; and starts the verification. */

import type { VerificationAnswer } from '@countersign/contract'
import { type CompanyId, newId } from '../../../platform/ids.ts'
import { addSpend } from '../../billing/index.ts'
import { type PlainMessage, recipientContext } from '../../delivery/index.ts'
import { actionUrlOf, newLink, whatsappNumberOf } from '../link.ts'
import { answerOf, type Verification } from '../verification.ts'
import { askRules } from './ask-rules.ts'
import { assertAccepted } from './assert-accepted.ts'
import { type BatchState, type BatchWrites, type SendCall, stateKey } from './batch.ts'
import { carryOut, keep } from './carry-out.ts'
import { bestProvider, channelOf } from './route.ts'
import { type RuleContext, routeOf, type Wants } from './rule.ts'
import { rulesOf } from './rules.ts'
import { subjectOfSend } from './subject.ts'

/** Seals a stored answer to its key: moved to the row of another, it cannot be decrypted. */
export const answerContext = (companyId: CompanyId, keyHash: Buffer) =>
  `answer of a send ${companyId} ${keyHash.toString('hex')}`
const noSpend = { spendMicros: 0n, spendAt: null }

export function decideSend(
  call: SendCall,
  state: BatchState,
  writes: BatchWrites,
  context: RuleContext,
): VerificationAnswer {
  const { app, idempotencyHash } = call
  const replay = idempotencyHash && state.replays.get(stateKey(app.companyId, idempotencyHash))
  if (replay) return replay.answer

  const subject = subjectOfSend(call)
  const asked = askRules(rulesOf.send, subject, state, context)
  keep(asked.keeps, subject, state, writes)
  assertAccepted(asked, { call, subject }, state, writes, context)
  const { wants } = asked
  const { step } = routeOf(asked.found)
  const channel = channelOf(step)
  const provider = asked.found.account ?? bestProvider(subject, channel, context.providers)
  const linkMode = step.kind === 'link' ? step.linkMode : null
  const { started, code } = startVerification(call, state.nowMs, context)
  const verification: Verification = {
    ...started,
    channel,
    linkMode,
    linkNumber: linkMode && whatsappNumberOf(provider),
    ...addSpend(noSpend, wants.spendMicros ?? 0n, state.nowMs),
  }

  carryOut(wants, subject, state, writes)
  writes.inserted.push(verification)
  writes.decisions.push({
    decisionId: newId('decision', state.nowMs),
    verification,
    kind: 'send',
    keyKind: subject.keyKind,
    rules: asked.decided,
  })
  if (linkMode) writes.links.push(newLink(verification, provider, context.keyring))
  else {
    const plain = { recipient: call.recipient.written, code }
    writes.deliveries.push(newDelivery(verification, provider.providerId, wants, state.nowMs, plain))
  }

  const answer = answerOf(verification, actionUrlOf(app, verification, context.keyring))
  if (idempotencyHash) {
    const stored = { recipientHash: call.recipientHash, answer }
    const place = answerContext(app.companyId, idempotencyHash)
    const sealedAnswer = context.keyring.seal(verification.dataKey, JSON.stringify(answer), place)
    state.replays.set(stateKey(app.companyId, idempotencyHash), stored)
    writes.replays.push({ ...stored, companyId: app.companyId, idempotencyHash, sealedAnswer })
  }
  return answer
}

export function newDelivery(
  verification: Verification,
  providerId: string,
  { paidMicros = 0n, spendMicros = 0n, saved = 0 }: Wants,
  nowMs: number,
  plain: PlainMessage | null = null,
) {
  return {
    deliveryId: newId('delivery', nowMs),
    verification,
    providerId,
    priceMicros: paidMicros,
    spendMicros,
    savedMicros: saved,
    entryId: newId('entry', nowMs),
    plain,
    nowMs,
  }
}

function startVerification(call: SendCall, nowMs: number, { keyring }: RuleContext) {
  const { app, recipient, recipientHash, clientIp, locale, friendlyName } = call
  const { settings } = app
  const otpId = newId('verification', nowMs)
  const dataKey = keyring.current(nowMs)
  const code = keyring.code(dataKey, otpId, 1, settings.code_length)
  const started = {
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
    friendlyName,
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
  return { started, code }
}
