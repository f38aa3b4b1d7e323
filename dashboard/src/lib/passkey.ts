/** Passkeys in this browser: the service gives options, the device answers them, and the answer goes to the service. */
import {
  browserSupportsWebAuthn,
  type PublicKeyCredentialCreationOptionsJSON,
  type PublicKeyCredentialRequestOptionsJSON,
  startAuthentication,
  startRegistration,
} from '@simplewebauthn/browser'
import { ApiError } from './api-error.ts'
import { type AnswerOf, call } from './client.ts'

/** Passkeys work only on https or localhost, and not in every browser. */
export const canUsePasskeys: boolean = browserSupportsWebAuthn()

export async function signInWithPasskey(): Promise<AnswerOf<'signInWithPasskey'>> {
  const { options } = await call('startPasskeySignIn', {})
  return call('signInWithPasskey', { body: { credential: await signed(options) } })
}

/** Signs in again to save what this person has typed, which must not happen in another person's name. */
export async function signInAgainWithPasskey(personId: string): Promise<void> {
  const { person_id: signedInId } = await signInWithPasskey()
  if (signedInId === personId) return
  const message =
    'That passkey belongs to somebody else, who is now signed in. Reload the page to continue as them, or use your own.'
  throw new ApiError(0, 'PasskeyError', message)
}

export async function proveWithPasskey(): Promise<void> {
  const { options } = await call('startPasskeyProof', {})
  await call('proveWithPasskey', { body: { credential: await signed(options) } })
}

export async function makePasskey(name: string): Promise<AnswerOf<'addPasskey'>> {
  const { options } = await call('startPasskey', {})
  // The service makes the options with the same library, so they have the type that it takes.
  const optionsJSON = options as unknown as PublicKeyCredentialCreationOptionsJSON
  const credential = await startRegistration({ optionsJSON }).catch(explain)
  return call('addPasskey', { body: { name, credential } })
}

function signed(options: Readonly<Record<string, unknown>>) {
  const optionsJSON = options as unknown as PublicKeyCredentialRequestOptionsJSON
  return startAuthentication({ optionsJSON }).catch(explain)
}

const words: Readonly<Record<string, string>> = {
  InvalidStateError: 'You already have a passkey on this device.',
  SecurityError: 'Passkeys only work at the address this installation is set up for.',
}

/** Browsers say little on purpose: cancelling and having no passkey look alike. */
function explain(error: unknown): never {
  const name = error instanceof Error ? error.name : ''
  throw new ApiError(
    0,
    'PasskeyError',
    words[name] ?? 'No passkey was used. Try again, or use another way to sign in.',
  )
}
