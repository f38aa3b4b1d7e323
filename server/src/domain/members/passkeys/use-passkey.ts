/** Uses a passkey: to sign in, or to prove once more in a session who somebody is. */
import { AppError, type Assertion } from '@countersign/contract'
import type { PersonId } from '../../../platform/ids.ts'
import { type Entered, enter } from '../admit.ts'
import { openEmail } from '../person.ts'
import { freshen, type SignedIn, type Visitor } from '../sessions.ts'
import { findPerson } from '../store.ts'
import {
  descriptorOf,
  type JsonOptions,
  maxPasskeys,
  type PasskeyDependencies,
  refused,
  spendChallenge,
  timeoutMs,
  webauthn,
} from './passkey.ts'
import * as store from './store.ts'

/** The browser asks the person which of their passkeys for this address to use. */
export async function offerPasskeySignIn(dependencies: PasskeyDependencies): Promise<JsonOptions> {
  return offer(dependencies, 'sign_in', null, [])
}

export async function signInWithPasskey(
  dependencies: PasskeyDependencies,
  credential: Assertion,
  visitor: Visitor,
): Promise<Entered> {
  const personId = await verifyAssertion(dependencies, credential, 'sign_in', null)
  const person = await findPerson(dependencies.database, personId)
  if (!person) throw refused()
  const email = openEmail(dependencies.keyring(), person.sealedEmail)
  return dependencies.database.transaction((transaction) =>
    enter(dependencies, transaction, email, visitor, 'passkey'),
  )
}

export async function offerPasskeyProof(
  dependencies: PasskeyDependencies,
  personId: PersonId,
): Promise<JsonOptions> {
  const known = await store.listPasskeys(dependencies.database, personId, maxPasskeys)
  if (known.length === 0) throw new AppError('ForbiddenError', 'You have no passkey yet.')
  return offer(dependencies, 'prove', personId, known)
}

export async function proveWithPasskey(
  dependencies: PasskeyDependencies,
  signedIn: SignedIn,
  credential: Assertion,
  visitor: Visitor,
): Promise<void> {
  await verifyAssertion(dependencies, credential, 'prove', signedIn.person.personId)
  await freshen(dependencies, signedIn, visitor, 'passkey')
}

async function offer(
  { database, relyingParty }: PasskeyDependencies,
  purpose: 'sign_in' | 'prove',
  personId: PersonId | null,
  known: readonly store.Passkey[],
): Promise<JsonOptions> {
  const { generateAuthenticationOptions } = await webauthn()
  const options = await generateAuthenticationOptions({
    rpID: relyingParty.id,
    userVerification: 'required',
    timeout: timeoutMs,
    allowCredentials: known.map(descriptorOf),
  })
  await store.insertChallenge(database, { text: options.challenge, purpose, personId })
  return { ...options }
}

/** Returns the person whose passkey signed. */
async function verifyAssertion(
  dependencies: PasskeyDependencies,
  credential: Assertion,
  purpose: 'sign_in' | 'prove',
  personId: PersonId | null,
): Promise<PersonId> {
  const { database, relyingParty } = dependencies
  const { clientDataJSON } = credential.response
  const challenge = await spendChallenge(dependencies, clientDataJSON, purpose, personId)
  const passkey = await store.findPasskey(database, Buffer.from(credential.id, 'base64url'))
  if (!passkey || !isTheirs(passkey, credential, personId)) throw refused()
  const { verifyAuthenticationResponse } = await webauthn()
  const verified = await verifyAuthenticationResponse({
    response: { ...credential, response: responseOf(credential.response), clientExtensionResults: {} },
    expectedChallenge: challenge,
    expectedOrigin: relyingParty.origin,
    expectedRPID: relyingParty.id,
    requireUserVerification: true,
    // The library compares counters before it has checked the signature. The service compares them afterwards, so that
    // nobody without the key can make it look copied.
    credential: { id: credential.id, publicKey: new Uint8Array(passkey.publicKey), counter: 0 },
  }).catch(() => null)
  if (!verified?.verified) throw refused()
  const { newCounter } = verified.authenticationInfo
  if (!(await store.usePasskey(database, passkey, newCounter))) throw refused()
  return passkey.personId
}

function isTheirs(passkey: store.Passkey, { response }: Assertion, personId: PersonId | null): boolean {
  if (passkey.isSuspect || (personId !== null && passkey.personId !== personId)) return false
  // If it is not known beforehand who signs in, the device itself must say so.
  if (!response.userHandle) return personId !== null
  return Buffer.from(response.userHandle, 'base64url').toString() === passkey.personId
}

const responseOf = ({ userHandle, ...response }: Assertion['response']) =>
  userHandle ? { ...response, userHandle } : response
