/** Proves once more, inside a session, who somebody is: by a code to their own address. */
import { AppError, type DeviceStatusAnswer } from '@countersign/contract'
import { emailForms } from './person.ts'
import { freshen, type SignedIn, type Visitor } from './sessions.ts'
import { checkCode, type SignInDependencies, sendCode } from './sign-in.ts'

export const startProof = (
  dependencies: SignInDependencies,
  { person }: SignedIn,
  from: Parameters<typeof sendCode>[2],
): Promise<DeviceStatusAnswer> => sendCode(dependencies, person.email, from, true)

export async function proveWithCode(
  dependencies: SignInDependencies,
  signedIn: SignedIn,
  guess: { readonly otpId: string; readonly code: string },
  visitor: Visitor,
): Promise<{ readonly isMatch: boolean; readonly attemptsRemaining: number }> {
  const { email, attemptsRemaining } = await checkCode(dependencies, guess)
  if (email === null) return { isMatch: false, attemptsRemaining }
  const isOwn = emailForms(dependencies, email).hash.equals(
    emailForms(dependencies, signedIn.person.email).hash,
  )
  if (!isOwn) throw new AppError('ForbiddenError', 'This code was sent to an address that is not yours.')
  await freshen(dependencies, signedIn, visitor, 'code')
  return { isMatch: true, attemptsRemaining }
}
