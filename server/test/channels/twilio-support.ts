/** An account at Twilio, or at a server that plays Twilio. */
import type { TestContext } from 'node:test'
import type { AccountContext, ProviderAccount } from '../../src/channels/channel.ts'
import { twilio } from '../../src/channels/twilio/index.ts'
import { recordingContext } from './support.ts'

export const SID = 'AC00000000000000000000000000000001'
export const MESSAGE_SID = 'SM00000000000000000000000000000001'

export function open(
  test: TestContext,
  baseUrl: string,
  changes: object = {},
  context: Partial<AccountContext> = {},
): ProviderAccount {
  const settings = twilio.settings.parse({
    account_sid: SID,
    auth_token: '12345',
    from: '+14155550100',
    base_url: baseUrl,
    ...changes,
  })
  const account = twilio.open(settings, { ...recordingContext(), ...context })
  test.after(account.close)
  return account
}
