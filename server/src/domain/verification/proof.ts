/** A signed proof of an approval, which anybody can check with the published keys, without calling the service. */
import type { Clock } from '../../platform/clock.ts'
import type { Database } from '../../platform/database.ts'
import type { OtpId } from '../../platform/ids.ts'
import type { Keyring } from '../../platform/keyring.ts'
import type { SigningKeys } from '../../platform/signing-keys.ts'
import { recipientContext } from '../delivery/index.ts'
import { parseRecipient, provenAddress, type Recipient } from '../guard/index.ts'
import type { App } from '../tenancy/index.ts'
import { findVerification } from './store.ts'

export interface ProveDependencies {
  readonly database: Database
  readonly keyring: () => Keyring
  readonly clock: Clock
  readonly signingKeys: () => SigningKeys
  readonly publicUrl: string
}

/** Null if there is nothing to prove: it is not approved, or the recipient has been erased. */
export type Prove = (app: App, otpId: OtpId) => Promise<string | null>

const lifeSeconds = 300

/** The same approval gives the same proof, however often it is asked for: all times in it count from the approval. */
export const createProve =
  ({ database, keyring, clock, signingKeys, publicUrl }: ProveDependencies): Prove =>
  async (app, otpId) => {
    const tenant = database.of(app.companyId)
    const found = await findVerification(tenant, app.appId, otpId, clock.nowMs())
    const { verifiedAt, recipient: sealed, channel, recipientType } = found?.verification ?? {}
    const recipient = sealed && parseRecipient(keyring().open(sealed, recipientContext(otpId)))
    if (!verifiedAt || !recipient) return null
    const issuedAt = Math.floor(verifiedAt.getTime() / 1000)
    return signingKeys()
      .at(verifiedAt.getTime())
      .sign({
        iss: publicUrl,
        aud: app.settings.proof.audience ?? app.appId,
        sub: otpId,
        iat: issuedAt,
        exp: issuedAt + lifeSeconds,
        app_id: app.appId,
        otp_id: otpId,
        channel,
        recipient_type: recipientType,
        recipient_hash: personHash(keyring(), app, recipient),
        verified_at: verifiedAt.toISOString(),
      })
  }

/**
 * Identifies the person within the app, and matches nothing else: no other app's hash, and none in the database. It is
 * made from the address that the code has proven, since those who check a proof take the hash for one person.
 */
function personHash(keyring: Keyring, { appId }: App, recipient: Recipient): string {
  const proven = keyring.lookupHash('recipient', provenAddress(recipient))
  return keyring.lookupHash('proof', `${appId} ${proven.toString('hex')}`).toString('base64url')
}
