/**
 * Passkeys: a key pair that the person's device keeps and unlocks with a finger, a face or a PIN, so that signing in with
 * one proves two things at once. It signs a challenge that is valid once, for five minutes, on every node.
 */
import { AppError } from '@countersign/contract'
import type { PersonId } from '../../platform/ids.ts'
import * as store from './passkey-store.ts'
import type { MemberDependencies } from './person.ts'

export interface PasskeyDependencies extends MemberDependencies {
  /** Whose passkeys they are, to browsers: the host and the origin of the installation's public address. */
  readonly relyingParty: { readonly id: string; readonly origin: string }
}

export const relyingPartyOf = (publicUrl: string): PasskeyDependencies['relyingParty'] => {
  const { hostname, origin } = new URL(publicUrl)
  return { id: hostname, origin }
}

/** For the browser, as the library makes them. */
export type JsonOptions = Readonly<Record<string, unknown>>

export const maxPasskeys = 20
export const timeoutMs = 300_000

/** Loaded with the first passkey: it would take a third of the time of a start, and many people use none. */
export const webauthn = () => import('@simplewebauthn/server')

/** The same answer to every failure, so that nothing can be probed. */
export const refused = () =>
  new AppError('ForbiddenError', 'This passkey was not accepted. Try again, or sign in by email.')

export const descriptorOf = ({ credentialId, transports }: store.Passkey) => ({
  id: credentialId.toString('base64url'),
  transports: [...transports],
})

/** The challenge that a browser says it signed; it is used up even if the check fails. */
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

/** Only to find it: the signature over it is checked afterwards. Empty for what cannot be read. */
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
