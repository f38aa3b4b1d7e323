/**
 * Passkeys: a key pair that the person's device keeps and unlocks with a finger, a face or a PIN, so that signing in with
 * one proves two things at once. It signs a challenge that is valid once, for five minutes, on every node.
 */
import { AppError } from '@countersign/contract'
import type { PersonId } from '../../../platform/ids.ts'
import type { MemberDependencies } from '../person.ts'
import * as store from './store.ts'

export interface PasskeyDependencies extends MemberDependencies {
  /** The relying party of WebAuthn: the host and the origin of the installation's public address. */
  readonly relyingParty: { readonly id: string; readonly origin: string }
}

export const relyingPartyOf = (publicUrl: string): PasskeyDependencies['relyingParty'] => {
  const { hostname, origin } = new URL(publicUrl)
  return { id: hostname, origin }
}

/** Options for the browser, as the library makes them. */
export type JsonOptions = Readonly<Record<string, unknown>>

export const maxPasskeys = 20
export const timeoutMs = 300_000

/** Not loaded with the program: it would take a third of the start-up time. */
export const webauthn = () => import('@simplewebauthn/server')

/** Every failure gets the same answer, so that nothing can be probed. */
export const refused = () =>
  new AppError('ForbiddenError', 'This passkey was not accepted. Try again, or sign in by email.')

export const descriptorOf = ({ credentialId, transports }: store.Passkey) => ({
  id: credentialId.toString('base64url'),
  transports: [...transports],
})

/** Uses up the challenge that a browser says it signed, even if the check fails, and returns it. */
export async function spendChallenge(
  { database }: MemberDependencies,
  clientDataJSON: string,
  purpose: store.Purpose,
  personId: PersonId | null,
): Promise<string> {
  const text = challengeIn(clientDataJSON)
  if (!(await store.takeChallenge(database, { text, purpose, personId }))) throw refused()
  return text
}

/** Read only to find the challenge: the signature over it is checked afterwards. Empty if it cannot be read. */
function challengeIn(clientDataJSON: string): string {
  try {
    const parsed: unknown = JSON.parse(Buffer.from(clientDataJSON, 'base64url').toString())
    const challenge =
      typeof parsed === 'object' && parsed !== null && 'challenge' in parsed ? parsed.challenge : ''
    return typeof challenge === 'string' && /^[\w-]{1,128}$/.test(challenge) ? challenge : ''
  } catch {
    return ''
  }
}
