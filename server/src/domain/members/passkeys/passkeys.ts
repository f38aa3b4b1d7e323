/** Adds, renames and removes a person's passkeys. */
import { AppError, type Attestation } from '@countersign/contract'
import type { Queryable } from '../../../platform/database.ts'
import { newId, type PersonId, parseId } from '../../../platform/ids.ts'
import { noSuch } from '../../answers/index.ts'
import { emailForms, type MemberDependencies, type Person } from '../person.ts'
import { type Proof, renewProof } from '../session-store.ts'
import { type SignedIn, sessionOver } from '../sessions.ts'
import { lockPersonByEmail } from '../store.ts'
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

export async function offerPasskey(
  dependencies: PasskeyDependencies,
  { person, proofs }: SignedIn,
): Promise<JsonOptions> {
  const known = await assertMayAdd(dependencies.database, person, proofs)
  const { generateRegistrationOptions } = await webauthn()
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

/** Making a passkey proves the person as well as using one does. */
export async function addPasskey(
  dependencies: PasskeyDependencies,
  { person, sessionId, proofs }: SignedIn,
  { name, credential }: { readonly name: string; readonly credential: Attestation },
): Promise<store.Passkey> {
  const { database, clock, relyingParty } = dependencies
  const { personId } = person
  const { clientDataJSON } = credential.response
  const challenge = await spendChallenge(dependencies, clientDataJSON, 'register', personId)
  const { transports = [], ...response } = credential.response
  const { verifyRegistrationResponse } = await webauthn()
  const made = await verifyRegistrationResponse({
    response: { ...credential, response, clientExtensionResults: {} },
    expectedChallenge: challenge,
    expectedOrigin: relyingParty.origin,
    expectedRPID: relyingParty.id,
    requireUserVerification: true,
  }).catch(() => null)
  if (!made?.verified) throw refused()
  const { credential: kept, credentialBackedUp } = made.registrationInfo
  return database.transaction(async (transaction) => {
    // The person is locked before the session is checked, as when somebody is removed: no passkey is left after a
    // removal.
    await lockPersonByEmail(transaction, emailForms(dependencies, person.email).hash)
    // Asked again under the lock: since the challenge was given, the person may have got other passkeys.
    await assertMayAdd(transaction, person, proofs)
    if (!(await renewProof(transaction, personId, sessionId, 'passkey'))) throw sessionOver()
    const passkey = await store.insertPasskey(transaction, {
      personId,
      passkeyId: newId('passkey', clock.nowMs()),
      credentialId: Buffer.from(kept.id, 'base64url'),
      publicKey: Buffer.from(kept.publicKey),
      counter: BigInt(kept.counter),
      transports,
      name,
      isBackedUp: credentialBackedUp,
    })
    if (!passkey) throw new AppError('ConflictError', 'This passkey is known already.')
    return passkey
  })
}

/**
 * A person who has a passkey needs it to add or remove one: otherwise a stolen mailbox would be enough. Somebody who
 * has lost it gets a sign-in link from the operator.
 */
async function assertMayManage(
  queryable: Queryable,
  { personId }: Person,
  proofs: readonly Proof[],
): Promise<store.Passkey[]> {
  const known = await store.listPasskeys(queryable, personId, maxPasskeys)
  if (known.length > 0 && !proofs.includes('passkey') && !proofs.includes('link')) {
    throw new AppError(
      'PasskeyNeededError',
      'Use one of your passkeys first. If it is lost, ask an operator for a sign-in link.',
    )
  }
  return known
}

/** Passkeys beyond the maximum would not be listed, and nobody would remove them. */
async function assertMayAdd(
  queryable: Queryable,
  person: Person,
  proofs: readonly Proof[],
): Promise<store.Passkey[]> {
  const known = await assertMayManage(queryable, person, proofs)
  if (known.length < maxPasskeys) return known
  throw new AppError('ConflictError', `You have ${maxPasskeys} passkeys. Remove one first.`)
}

export const listPasskeys = ({ database }: Pick<MemberDependencies, 'database'>, personId: PersonId) =>
  store.listPasskeys(database, personId, maxPasskeys)

export async function renamePasskey(
  { database }: Pick<MemberDependencies, 'database'>,
  personId: PersonId,
  text: string,
  name: string,
): Promise<store.Passkey> {
  const passkeyId = parseId('passkey', text)
  const renamed = passkeyId && (await store.renamePasskey(database, personId, passkeyId, name))
  if (!renamed) throw noSuch('passkey')
  return renamed
}

export async function removePasskey(
  { database }: Pick<MemberDependencies, 'database'>,
  { person, sessionId, proofs }: SignedIn,
  text: string,
): Promise<string> {
  await assertMayManage(database, person, proofs)
  const passkeyId = parseId('passkey', text)
  if (!passkeyId || !(await store.deletePasskey(database, person.personId, passkeyId, sessionId))) {
    throw noSuch('passkey')
  }
  return passkeyId
}
