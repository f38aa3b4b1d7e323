import type { TestContext } from 'node:test'
import type { ProviderAccount } from '../../src/channels/channel.ts'
import { whatsapp } from '../../src/channels/whatsapp/index.ts'
import { recordingContext } from './support.ts'

export const SECRET = 'meta_app_secret_test'
export const NUMBER_ID = '1122334455667'

export function open(test: TestContext, baseUrl: string, changes: object = {}): ProviderAccount {
  const settings = whatsapp.settings.parse({
    phone_number_id: NUMBER_ID,
    number: '+15550001111',
    access_token: 'token',
    app_secret: SECRET,
    verify_token: 'verify',
    template_name: 'otp_copy',
    base_url: baseUrl,
    ...changes,
  })
  const account = whatsapp.open(settings, recordingContext())
  test.after(account.close)
  return account
}
