/** Checks a code in Twilio's terms: a wrong code is an answer, and a right one works once. */
import { AppError, verifyBody } from '@countersign/contract'
import { parseRecipient } from '../../domain/guard/index.ts'
import { type FoundVerification, verify, wasSentTo } from '../../domain/verification/index.ts'
import type { OtpId } from '../../platform/ids.ts'
import { assertKnown, type TwilioCall, type TwilioDependencies } from './call.ts'
import { refusal } from './error-body.ts'
import { assertService, getNamed, readShown } from './find.ts'
import { checkBody, twilioStatusOf } from './present.ts'

const missing = ['Amount', 'Payee', 'SnaClientToken']

export async function checkVerification(dependencies: TwilioDependencies, call: TwilioCall) {
  assertService(call)
  const { principal, fields } = call
  const unsupported = missing.find((name) => name in fields)
  if (unsupported) throw refusal(60204, unsupported)
  assertKnown(fields, ['Code', 'To', 'VerificationSid'])
  const { To: to, VerificationSid: sid } = fields
  const name = sid || to
  if (!name) throw refusal(60221)
  const code = verifyBody.shape.code.safeParse(fields.Code)
  if (!code.success) throw refusal(60200, 'Code')
  const { verification } = await getNamed(dependencies, principal, name)
  const { otpId } = verification
  if (sid && to && !isOf(dependencies, verification, to)) throw refusal(20404)
  const said = sid ? null : name
  await verify(dependencies, principal, { otpId, code: code.data, isOnce: true }).catch(
    async (error: unknown) => {
      throw await explain(dependencies, call, otpId, error)
    },
  )
  return checkBody(await readShown(dependencies, principal, otpId, said))
}

/** If a SID and a recipient are given, both must match: a code for another recipient proves nothing about this one. */
function isOf(
  { keyring }: TwilioDependencies,
  verification: FoundVerification['verification'],
  to: string,
): boolean {
  const recipient = parseRecipient(to)
  return recipient !== null && wasSentTo(keyring(), verification, recipient)
}

/** Twilio has different codes for attempts that are used up and for a verification that has ended otherwise. */
async function explain(
  dependencies: TwilioDependencies,
  { principal }: TwilioCall,
  otpId: OtpId,
  error: unknown,
): Promise<unknown> {
  if (!(error instanceof AppError) || error.errorName !== 'OtpNotPendingError') return error
  const { found } = await readShown(dependencies, principal, otpId, null)
  if (twilioStatusOf(found) !== 'max_attempts_reached') return error
  const leftMs = found.verification.expiresAt.getTime() - dependencies.clock.nowMs()
  return refusal(60202, '', leftMs / 1000 + 1)
}
