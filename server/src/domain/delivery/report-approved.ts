/** Tells the provider that the code it carried was entered: Telegram counts conversions. Best effort. */
import type { ChannelName } from '@countersign/contract'
import type { Database } from '../../platform/database.ts'
import type { OtpId } from '../../platform/ids.ts'
import type { Keyring } from '../../platform/keyring.ts'
import type { Providers } from '../routing/index.ts'
import type { AppRef } from '../tenancy/index.ts'
import { messageContext } from './delivery.ts'
import { findConversion } from './store.ts'

const deadlineMs = 10_000

export async function reportApproved(
  {
    database,
    keyring,
    providers,
  }: { readonly database: Database; readonly keyring: () => Keyring; readonly providers: Providers },
  { companyId, appId }: AppRef,
  otpId: OtpId,
  channel: ChannelName,
): Promise<void> {
  if (channel !== 'telegram') return
  const conversion = await findConversion(database.of(companyId), appId, otpId, channel)
  if (!conversion) return
  const account = providers.find(conversion.providerId)?.account
  if (!account?.reportApproved) return
  const messageId = keyring().open(conversion.messageId, messageContext(otpId))
  const code = keyring().code(conversion.dataKey, otpId, conversion.codeVersion, conversion.codeLength)
  await account.reportApproved(messageId, code, AbortSignal.timeout(deadlineMs))
}
