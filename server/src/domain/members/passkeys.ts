/**
 * Passkeys: a key pair that the person's device keeps and opens by a finger, a face or a PIN. Signing in with one
 * proves two things at once. What it signs is a challenge that is good once, for five minutes, on every node.
 */
import { AppError, type Assertion, type Attestation } from '@countersign/contract'
import {
  generateAuthenticationOptions,
  generateRegistrationOptions,
  verifyAuthenticationResponse,
  verifyRegistrationResponse,
} from '@simplewebauthn/server'
import { newId, type PersonId, parseId, type SessionId } from '../../platform/ids.ts'
import * as store from './passkey-store.ts'
import { type MemberDependencies, openEmail, type Person } from './person.ts'
import { type Proof, renewProof } from './session-store.ts'
import { openSession, type SignedIn, type Visitor } from './sessions.ts'
import { admit } from './sign-in.ts'
import { findPerson } from './store.ts'

export interface PasskeyDependencies extends MemberDependencies {
  /** Whose passkeys they are, to browsers: the host and the origin of the installation's public address. */
  readonly relyingParty: { readonly id: string; readonly origin: string }
}

export const relyingPartyOf = (publicUrl: string): PasskeyDependencies['relyingParty'] => {
  const { hostname, origin } = new URL(publicUrl)
  return { id: hostname, origin }
}

type JsonOptions = Readonly<Record<string, unknown>>

const maxPasskeys = 20
const timeoutMs = 300_000

/** One answer to everything that does not hold, so that nothing can be probed. */
const refused = () =>
  new AppError('ForbiddenError', 'This passkey was not accepted. Try again, or sign in by email.')

/** The browser asks the person which of their passkeys for this address to use. */
export async function offerPasskeySignIn(dependencies: PasskeyDependencies): Promise<JsonOptions> {
  return offer(dependencies, 'sign_in', null, [])
}

export async function signInWithPasskey(
  dependencies: PasskeyDependencies,
  credential: Assertion,
  visitor: Visitor,
): Promise<{ personId: PersonId; token: string }> {
  const personId = await verifyAssertion(dependencies, credential, 'sign_in', null)
  const person = await findPerson(dependencies.database, personId)
  if (!person) throw refused()
  await admit(dependencies, openEmail(dependencies.keyring(), person.email))
  return { personId, token: await openSession(dependencies, personId, visitor, 'passkey') }
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
  { person, sessionId }: SignedIn,
  credential: Assertion,
): Promise<void> {
  await verifyAssertion(dependencies, credential, 'prove', person.personId)
  await renewProof(dependencies.database, person.personId, sessionId, 'passkey')
}

async function offer(
  { database, relyingParty }: PasskeyDependencies,
  purpose: 'sign_in' | 'prove',
  personId: PersonId | null,
  known: readonly store.PasskeyRow[],
): Promise<JsonOptions> {
  const options = await generateAuthenticationOptions({
    rpID: relyingParty.id,
    userVerification: 'required',
    timeout: timeoutMs,
    allowCredentials: known.map(descriptorOf),
  })
  await store.insertChallenge(database, { text: options.challenge, purpose, personId })
  return { ...options }
}

const descriptorOf = (row: store.PasskeyRow) => ({
  id: row.credential_id.toString('base64url'),
  transports: [...row.transports],
})

/** Whose passkey signed. The challenge is spent whatever comes of it. */
async function verifyAssertion(
  { database, relyingParty }: PasskeyDependencies,
  credential: Assertion,
  purpose: 'sign_in' | 'prove',
  personId: PersonId | null,
): Promise<PersonId> {
  const challenge = challengeIn(credential.response.clientDataJSON)
  if (!(await store.takeChallenge(database, { text: challenge, purpose, personId }))) throw refused()
  const passkey = await store.findPasskey(database, Buffer.from(credential.id, 'base64url'))
  const { userHandle } = credential.response
  const isTheirs =
    passkey &&
    !passkey.is_suspect &&
    (personId === null || passkey.person_id === personId) &&
    // Without a person known before, the device itself must say whose it is.
    (userHandle ? userIdIn(userHandle) === passkey.person_id : personId !== null)
  if (!isTheirs) throw refused()
  const verified = await verifyAuthenticationResponse({
    response: {
      ...credential,
      response: responseOf(credential.response),
      clientExtensionResults: {},
    },
    expectedChallenge: challenge,
    expectedOrigin: relyingParty.origin,
    expectedRPID: relyingParty.id,
    requireUserVerification: true,
    // The library compares counters before it has checked the signature; ours is compared after, so that nobody
    // without the key can make it look copied.
    credential: {
      id: credential.id,
      publicKey: new Uint8Array(passkey.public_key),
      counter: 0,
    },
  }).catch(() => null)
  if (!verified?.verified) throw refused()
  const { newCounter } = verified.authenticationInfo
  if (!(await store.usePasskey(database, passkey, newCounter))) throw refused()
  return passkey.person_id
}

const responseOf = ({ userHandle, ...response }: Assertion['response']) =>
  userHandle ? { ...response, userHandle } : response

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

const userIdIn = (userHandle: string) => Buffer.from(userHandle, 'base64url').toString()

export async function offerPasskey(
  dependencies: PasskeyDependencies,
  { person, proofs }: SignedIn,
): Promise<JsonOptions> {
  const known = await assertMayManage(dependencies, person, proofs)
  if (known.length >= maxPasskeys) {
    throw new AppError('ConflictError', `You have ${maxPasskeys} passkeys. Remove one first.`)
  }
  const options = await generateRegistrationOptions({
    rpName: 'Countersign',
    rpID: dependencies.relyingParty.id,
    userName: person.email,
    userDisplayName: person.name ?? person.email,
    userID: new TextEncoder().encode(person.personId),
    attestationType: 'none',
    timeout: timeoutMs,
    excludeCredentials: known.map(descriptorOf),
    authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
  })
  await store.insertChallenge(dependencies.database, {
    text: options.challenge,
    purpose: 'register',
    personId: person.personId,
  })
  return { ...options }
}

/** Making one proves the person as well as using one does. */
export async function addPasskey(
  dependencies: PasskeyDependencies,
  { person, sessionId, proofs }: SignedIn,
  { name, credential }: { readonly name: string; readonly credential: Attestation },
): Promise<store.PasskeyRow> {
  await assertMayManage(dependencies, person, proofs)
  const { database, clock, relyingParty } = dependencies
  const { personId } = person
  const challenge = challengeIn(credential.response.clientDataJSON)
  if (!(await store.takeChallenge(database, { text: challenge, purpose: 'register', personId })))
    throw refused()
  const { transports = [], ...response } = credential.response
  const made = await verifyRegistrationResponse({
    response: { ...credential, response, clientExtensionResults: {} },
    expectedChallenge: challenge,
    expectedOrigin: relyingParty.origin,
    expectedRPID: relyingParty.id,
    requireUserVerification: true,
  }).catch(() => null)
  if (!made?.verified) throw refused()
  const { credential: kept, credentialBackedUp } = made.registrationInfo
  const row = await store.insertPasskey(database, {
    person_id: personId,
    passkey_id: newId('passkey', clock.nowMs()),
    credential_id: Buffer.from(kept.id, 'base64url'),
    public_key: Buffer.from(kept.publicKey),
    counter: BigInt(kept.counter),
    transports,
    name,
    is_backed_up: credentialBackedUp,
  })
  if (!row) throw new AppError('ConflictError', 'This passkey is known already.')
  await proven(dependencies, personId, sessionId)
  return row
}

const proven = ({ database }: MemberDependencies, personId: PersonId, sessionId: SessionId) =>
  renewProof(database, personId, sessionId, 'passkey')

/**
 * Whoever has a passkey needs it to add or remove one, else the mailbox alone would do; one that is lost is made up
 * for by a link from whoever runs the service.
 */
async function assertMayManage(
  { database }: MemberDependencies,
  { personId }: Person,
  proofs: readonly Proof[],
): Promise<store.PasskeyRow[]> {
  const known = await store.listPasskeys(database, personId, maxPasskeys)
  if (known.length > 0 && !proofs.includes('passkey') && !proofs.includes('link')) {
    throw new AppError(
      'PasskeyNeededError',
      'Use a passkey that you have first. One that is lost: ask an operator for a sign-in link.',
    )
  }
  return known
}

export const listPasskeys = ({ database }: Pick<MemberDependencies, 'database'>, personId: PersonId) =>
  store.listPasskeys(database, personId, maxPasskeys)

const noSuchPasskey = () => new AppError('NotFoundError', 'There is no such passkey.')

export async function renamePasskey(
  { database }: Pick<MemberDependencies, 'database'>,
  personId: PersonId,
  text: string,
  name: string,
): Promise<store.PasskeyRow> {
  const passkeyId = parseId('passkey', text)
  const row = passkeyId && (await store.renamePasskey(database, personId, passkeyId, name))
  if (!row) throw noSuchPasskey()
  return row
}

export async function removePasskey(
  dependencies: MemberDependencies,
  { person, proofs }: SignedIn,
  text: string,
): Promise<string> {
  await assertMayManage(dependencies, person, proofs)
  const passkeyId = parseId('passkey', text)
  if (!passkeyId || !(await store.deletePasskey(dependencies.database, person.personId, passkeyId))) {
    throw noSuchPasskey()
  }
  return passkeyId
}
