/** Turns a device's token into the recipient that it proves. */

import { AppError, type ExchangeAnswer } from '@countersign/contract'
import type { Database } from '../../platform/database.ts'
import { type Keyring, sha256 } from '../../platform/keyring.ts'
import { recipientContext } from '../delivery/index.ts'
import type { Principal } from '../tenancy/index.ts'
import { takeToken } from './store.ts'

export async function exchange(
  { database, keyring }: { readonly database: Database; readonly keyring: () => Keyring },
  { app, keyId }: Principal,
  token: string,
): Promise<ExchangeAnswer> {
  const verification = await takeToken(database.of(app.companyId), app.appId, sha256(token), keyId)
  if (!verification?.recipient || !verification.verifiedAt) {
    throw new AppError('TokenNotFound', 'There is no such verification token. Start a new verification.')
  }
  return {
    otp_id: verification.otpId,
    recipient: keyring().open(verification.recipient, recipientContext(verification.otpId)),
    recipient_type: verification.recipientType,
    channel: verification.channel,
    verified_at: verification.verifiedAt.toISOString(),
  }
}
