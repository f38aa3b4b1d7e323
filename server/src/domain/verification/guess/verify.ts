/** A guess. A wrong code is an answer, not an error. */
import { AppError, type ChannelName, type VerifyAnswer } from '@countersign/contract'
import type { Clock } from '../../../platform/clock.ts'
import type { Database } from '../../../platform/database.ts'
import { type OtpId, parseId } from '../../../platform/ids.ts'
import { type Keyring, sha256 } from '../../../platform/keyring.ts'
import { validationError } from '../../answers/index.ts'
import type { Guesses } from '../../guard/index.ts'
import type { Providers } from '../../routing/index.ts'
import type { App, AppRef, Principal } from '../../tenancy/index.ts'
import { otpEvent } from '../../webhooks/index.ts'
import type { GuardPart } from '../guard-fault.ts'
import { type FoundVerification, findVerification } from '../store.ts'
import { otpNotFound, otpNotPending } from '../verification.ts'
import { findGuessWait, type GuessInput, judgeGuess } from './store.ts'

export interface VerifyDependencies {
  readonly database: Database
  readonly keyring: () => Keyring
  readonly clock: Clock
  readonly providers: Providers
  /** A part of the guard could not use its tables; the guess was judged without it. */
  readonly countUnguarded: (error: unknown, part: GuardPart) => void
  /** Where somebody watches: each guess that was judged is counted, and alarmed apps are known. */
  readonly guesses?: Pick<Guesses, 'count' | 'alarmed'>
  /** Called after an approval's commit: providers that count conversions are told. */
  readonly onApproved: (app: AppRef, otpId: OtpId, channel: ChannelName) => void
}

/** A guess that finds nothing to judge, and then a verification that could have taken it, met a resend in between. */
const maxRounds = 3

export async function verify(
  dependencies: VerifyDependencies,
  { app, keyId, kind }: Principal,
  { otpId: text, code }: { readonly otpId: string; readonly code: string },
): Promise<VerifyAnswer> {
  const otpId = parseId('verification', text)
  if (!otpId) throw otpNotFound()
  const { countUnguarded, guesses, onApproved } = dependencies
  const tenant = dependencies.database.of(app.companyId)
  const keyring = dependencies.keyring()
  const token = kind === 'publishable' ? keyring.token(otpId, keyId) : null
  const guess = guessOf(dependencies, { app, keyId }, { otpId, code, token })
  const onUnguarded = (error: unknown) => countUnguarded(error, 'guessing')
  for (let round = 0; round < maxRounds; round++) {
    const judged = await judgeGuess(tenant, guess, onUnguarded)
    if (judged) {
      guesses?.count(app, judged.isMatch)
      if (judged.isMatch) onApproved(app, otpId, judged.channel)
      else if (judged.status === 'approved') throw otpNotPending('approved')
      return {
        otp_id: otpId,
        status: judged.status,
        matched: judged.isMatch,
        channel: judged.channel,
        attempts_remaining: judged.attemptsRemaining,
        verified_at: judged.isMatch ? (judged.verifiedAt?.toISOString() ?? null) : null,
        verification_token: judged.isMatch ? token : null,
      }
    }
    const replayed = explain(await findVerification(tenant, app.appId, otpId), {
      otpId,
      code,
      keyId,
      keyring,
      token,
    })
    if (replayed) return replayed
    const waitSeconds = guess.isSlowed ? await findGuessWait(tenant, guess) : undefined
    if (waitSeconds !== undefined) throw slowedDown(waitSeconds)
  }
  throw new AppError('UnavailableError', 'This verification is changing. Try again.', { retry_after: 1 })
}

function guessOf(
  { keyring, clock, providers, guesses }: VerifyDependencies,
  { app, keyId }: Pick<Principal, 'app' | 'keyId'>,
  { otpId, code, token }: { readonly otpId: OtpId; readonly code: string; readonly token: string | null },
): GuessInput {
  return {
    appId: app.appId,
    otpId,
    nowMs: clock.nowMs(),
    codeLength: code.length,
    codeMacs: keyring().codeMacs(otpId, code),
    keyId,
    tokenTtlSeconds: app.settings.token_ttl_s,
    codeTtlSeconds: app.settings.code_ttl_s,
    isSlowed: guesses?.alarmed.has(app.appId) === true && !isTrial(providers, app),
    tokenHash: token === null ? null : sha256(token),
    approvedEvent: otpEvent('approved', otpId, clock.nowMs()),
    failedEvent: otpEvent('failed', otpId, clock.nowMs()),
  }
}

/** Only the simulator carries its messages: alarms are raised there too, but nobody is kept waiting. */
const isTrial = (providers: Providers, { companyId }: App) =>
  !providers.all().some((each) => !each.isSimulated && (each.companyId ?? companyId) === companyId)

function slowedDown(seconds: number): AppError {
  const retry_after = Math.max(1, seconds)
  const message = `Far more wrong codes than usual are entered in this app (scope app). Try again in ${retry_after} s.`
  return new AppError('RateLimitExceededError', message, { scope: 'app', retry_after })
}

/** Why a guess was not judged: thrown; the answer once more for a repeated right one; null for "ask again". */
function explain(
  found: FoundVerification | undefined,
  guess: { otpId: OtpId; code: string; keyId: string; keyring: Keyring; token: string | null },
): VerifyAnswer | null {
  if (!found) throw otpNotFound()
  const { verification, isExpired, isReplayable } = found
  if (guess.code.length !== verification.codeLength) {
    throw validationError([{ path: 'code', message: `must have ${verification.codeLength} digits` }])
  }
  if (isExpired) throw otpNotPending('expired')
  if (verification.status === 'failed') throw otpNotPending('failed')
  if (verification.status === 'pending') {
    if (verification.linkMode !== 'link_inbound') return null
    const message =
      'This verification is finished by the person’s WhatsApp message; there is no code to check.'
    throw new AppError('CodeNotExpectedError', message)
  }
  const mac = guess.keyring.codeMac(verification.dataKey, guess.otpId, guess.code)
  const isRepeat =
    isReplayable &&
    verification.approvedBy === guess.keyId &&
    verification.attempts < verification.maxAttempts &&
    mac.equals(verification.codeMac)
  if (!isRepeat) throw otpNotPending('approved')
  return {
    otp_id: guess.otpId,
    status: 'approved',
    matched: true,
    channel: verification.channel,
    attempts_remaining: verification.maxAttempts - verification.attempts,
    verified_at: verification.verifiedAt?.toISOString() ?? null,
    verification_token: guess.token,
  }
}
