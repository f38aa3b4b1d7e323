/** Checks a code that a person entered. A wrong code is an answer, not an error. */
import { setTimeout as pause } from 'node:timers/promises'
import { AppError, type VerifyAnswer } from '@countersign/contract'
import type { Clock } from '../../../platform/clock.ts'
import { type OtpId, parseId } from '../../../platform/ids.ts'
import { type Keyring, sha256 } from '../../../platform/keyring.ts'
import { validationError } from '../../answers/index.ts'
import type { Guesses } from '../../guard/index.ts'
import type { App, AppRef, Principal } from '../../tenancy/index.ts'
import { otpEvents } from '../../webhooks/index.ts'
import type { Prove } from '../proof.ts'
import { type ApprovedOn, otpNotFound, otpNotPending } from '../verification.ts'
import type { Judge } from './judge.ts'
import type { Guess, GuessOutcome, UnjudgedGuess } from './store.ts'

export interface VerifyDependencies {
  readonly judge: Judge
  readonly keyring: () => Keyring
  readonly clock: Clock
  /** Counts each guess that was judged, for the watch over wrong codes. */
  readonly guesses?: Pick<Guesses, 'count'>
  /** Called only if the app has turned proofs on. */
  readonly prove: Prove
  /** Called once an approval is committed, to tell providers that count conversions. */
  readonly onApproved: (app: AppRef, otpId: OtpId, approved: ApprovedOn) => void
}

/** A guess, with the token that a right code would earn. */
interface ParsedGuess {
  readonly otpId: OtpId
  readonly code: string
  /** Whether the right code is refused when it comes again. */
  readonly isOnce: boolean
  /** Null if the key gets no token. */
  readonly token: string | null
}

/** How long a guess waits for a verification that is locked by a resend, a message, or another node. */
const busyMs = 5_000
const longestPauseMs = 50

export async function verify(
  dependencies: VerifyDependencies,
  principal: Principal,
  guess: GuessInput,
): Promise<VerifyAnswer> {
  const answer = await answerGuess(dependencies, principal, guess)
  if (!principal.app.settings.proof.enabled) return answer
  const otpId = answer.matched ? parseId('verification', answer.otp_id) : null
  return { ...answer, proof: otpId && (await dependencies.prove(principal.app, otpId)) }
}

interface GuessInput {
  readonly otpId: string
  readonly code: string
  /** Whether the right code is refused when it comes again. */
  readonly isOnce?: boolean
}

async function answerGuess(
  dependencies: VerifyDependencies,
  { app, keyId, kind }: Principal,
  { otpId: text, code, isOnce = false }: GuessInput,
): Promise<VerifyAnswer> {
  const otpId = parseId('verification', text)
  if (!otpId) throw otpNotFound()
  const keyring = dependencies.keyring()
  const token = kind === 'publishable' ? keyring.token(otpId, keyId) : null
  const guessed = { otpId, code, isOnce, token }
  const guess = guessOf(dependencies, { app, keyId }, guessed)
  const giveUpAtMs = performance.now() + busyMs
  for (let pauseMs = 1; performance.now() < giveUpAtMs; pauseMs = Math.min(2 * pauseMs, longestPauseMs)) {
    const outcome = await dependencies.judge(guess)
    if (outcome?.isJudged) return answerTo(dependencies, app, guessed, outcome)
    const replayed = explain(outcome, { ...guessed, keyId, keyring })
    if (replayed) return replayed
    await pause(pauseMs)
  }
  throw new AppError('UnavailableError', 'This verification is changing. Try again.', { retry_after: 1 })
}

function answerTo(
  { guesses, onApproved }: VerifyDependencies,
  app: App,
  { otpId, token }: ParsedGuess,
  judged: Extract<GuessOutcome, { isJudged: true }>,
): VerifyAnswer {
  const { isMatch, status, channel, attemptsRemaining, verifiedAt } = judged
  guesses?.count(app, isMatch)
  if (isMatch) onApproved(app, otpId, judged)
  else if (status === 'approved') throw otpNotPending('approved')
  return {
    otp_id: otpId,
    status,
    matched: isMatch,
    channel,
    attempts_remaining: attemptsRemaining,
    verified_at: verifiedAt?.toISOString() ?? null,
    verification_token: isMatch ? token : null,
  }
}

function guessOf(
  { keyring, clock }: VerifyDependencies,
  { app, keyId }: Pick<Principal, 'app' | 'keyId'>,
  { otpId, code, token }: ParsedGuess,
): Guess {
  return {
    companyId: app.companyId,
    appId: app.appId,
    otpId,
    codeLength: code.length,
    codeMacs: keyring().codeMacs(otpId, code),
    keyId,
    tokenTtlSeconds: app.settings.token_ttl_s,
    tokenHash: token === null ? null : sha256(token),
    events: otpEvents(otpId, clock.nowMs()),
  }
}

/** Throws the reason why a guess was not judged. A repeated right code gets its answer again; null means retry. */
function explain(
  found: UnjudgedGuess | undefined,
  guess: ParsedGuess & { readonly keyId: string; readonly keyring: Keyring },
): VerifyAnswer | null {
  if (!found) throw otpNotFound()
  // A verification that a message finishes has no code whose length could be wrong.
  const hasCode = found.linkMode !== 'link_inbound' || found.status === 'approved'
  if (hasCode && guess.code.length !== found.codeLength) {
    throw validationError([{ path: 'code', message: `must have ${found.codeLength} digits` }])
  }
  if (found.isExpired) throw otpNotPending('expired')
  if (found.status === 'failed') throw otpNotPending('failed')
  if (found.status === 'pending') {
    if (found.linkMode === 'link_inbound') throw codeNotExpected()
    return null
  }
  const isRight = guess.keyring.codeMac(found.dataKey, guess.otpId, guess.code).equals(found.codeMac)
  // A wrong code spends an attempt while any are left. This one spent none, so the verification was locked.
  if (!isRight && found.attemptsRemaining > 0) return null
  const isRepeat =
    isRight &&
    !guess.isOnce &&
    found.isReplayable &&
    found.approvedBy === guess.keyId &&
    found.attemptsRemaining > 0
  if (!isRepeat) throw otpNotPending('approved')
  return {
    otp_id: guess.otpId,
    status: 'approved',
    matched: true,
    channel: found.channel,
    attempts_remaining: found.remainingThen,
    verified_at: found.verifiedAt?.toISOString() ?? null,
    verification_token: guess.token,
  }
}

const codeNotExpected = () =>
  new AppError(
    'CodeNotExpectedError',
    'This verification is finished by the person’s WhatsApp message; there is no code to check.',
  )
