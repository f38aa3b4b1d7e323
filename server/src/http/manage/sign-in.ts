/** Routes for signing in by a code or a link, and for proving again by a code who one is. */
import type { DeviceStatusAnswer } from '@countersign/contract'
import {
  findMasked,
  proveWithCode,
  type RefusalDependencies,
  type SignInDependencies,
  signInWithCode,
  signInWithLink,
  startProof,
  startSignIn,
} from '../../domain/members/index.ts'
import { isLanguageTag } from '../../domain/messages/index.ts'
import { usableAddress } from '../caller-address.ts'
import { type Route, route } from '../route.ts'
import { type Call, createSignInRecords, visitorOf } from './sign-in-records.ts'

type Dependencies = SignInDependencies & RefusalDependencies
export function signInRoutes(dependencies: Dependencies): Route[] {
  const { recordRefused, runRecorded } = createSignInRecords(dependencies)
  return [
    route('startSignIn', async ({ body, ...call }) => {
      const requester = { ...requesterOf(call), knownToken: call.knownToken() }
      return sentAnswer(await startSignIn(dependencies, body.email, requester))
    }),
    route('startProof', async (call, actor) =>
      sentAnswer(await startProof(dependencies, actor, requesterOf(call))),
    ),
    route('proveWithCode', async ({ body, ...call }, actor) => {
      const guess = { otpId: body.otp_id, code: body.code }
      const attempt = { ...call, personId: actor.person.personId }
      const outcome = await runRecorded(attempt, 'proveWithCode', () =>
        proveWithCode(dependencies, actor, guess, visitorOf(call)),
      )
      if (!outcome.isMatch) await recordRefused(attempt, 'proveWithCode', 'WrongCode')
      return { matched: outcome.isMatch, attempts_remaining: outcome.attemptsRemaining }
    }),
    route('signInWithCode', async ({ body, ...call }) => {
      const guess = { otpId: body.otp_id, code: body.code }
      const findEmail = () => findMasked(dependencies, body.otp_id)
      const outcome = await runRecorded(
        call,
        'signInWithCode',
        () => signInWithCode(dependencies, guess, visitorOf(call)),
        findEmail,
      )
      if (outcome.isMatch) call.setSession(outcome.cookies)
      else await recordRefused(call, 'signInWithCode', 'WrongCode', await findEmail())
      return { matched: outcome.isMatch, attempts_remaining: outcome.attemptsRemaining }
    }),
    route('signInWithLink', async ({ body, ...call }) => {
      const { personId, cookies } = await runRecorded(call, 'signInWithLink', () =>
        signInWithLink(dependencies, body.token, visitorOf(call)),
      )
      call.setSession(cookies)
      return { person_id: personId }
    }),
  ]
}

const requesterOf = ({ callerAddress, header }: Call) => ({
  clientIp: usableAddress(callerAddress),
  locale: languageOf(header('accept-language')),
})

const sentAnswer = ({ otp_id, masked_recipient, expires_at }: DeviceStatusAnswer) => ({
  otp_id,
  masked_recipient,
  expires_at,
})

/** The first language that the browser asks for; null if the header cannot be read. */
function languageOf(header: string | undefined): string | null {
  const first = header?.split(',')[0]?.split(';')[0]?.trim() ?? ''
  return isLanguageTag(first) ? first : null
}
