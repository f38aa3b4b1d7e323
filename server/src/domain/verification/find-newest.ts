/** The newest verification of a recipient, for callers that name the recipient and no id. */
import type { Clock } from '../../platform/clock.ts'
import type { Database } from '../../platform/database.ts'
import type { Keyring } from '../../platform/keyring.ts'
import { recipientContext } from '../delivery/index.ts'
import { parseRecipient, provenAddress, type Recipient } from '../guard/index.ts'
import type { AppRef } from '../tenancy/index.ts'
import { hashRecipient } from './issuing/send.ts'
import { type FoundVerification, listNewest } from './store.ts'
import type { Verification } from './verification.ts'

export interface FindNewestDependencies {
  readonly database: Database
  readonly keyring: () => Keyring
  readonly clock: Clock
}

/** More than limits allow a recipient in a day, so that verifications under other spellings do not hide the newest. */
const mostOfRecipient = 100

/**
 * Only verifications that were sent to this very address count: a code that was sent to another proves nothing, even if
 * limits count both addresses as one person.
 */
export async function findNewest(
  { database, keyring: readKeyring, clock }: FindNewestDependencies,
  { companyId, appId }: AppRef,
  recipient: Recipient,
): Promise<FoundVerification | undefined> {
  const keyring = readKeyring()
  const look = { nowMs: clock.nowMs(), limit: mostOfRecipient }
  const newest = await listNewest(database.of(companyId), appId, hashRecipient(keyring, recipient), look)
  return newest.find(({ verification }) => wasSentTo(keyring, verification, recipient))
}

export function wasSentTo(
  keyring: Keyring,
  { recipient: sealed, otpId }: Pick<Verification, 'recipient' | 'otpId'>,
  recipient: Recipient,
): boolean {
  const sentTo = sealed && parseRecipient(keyring.open(sealed, recipientContext(otpId)))
  return sentTo !== null && provenAddress(sentTo) === provenAddress(recipient)
}
