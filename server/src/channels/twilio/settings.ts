import { z } from 'zod'
import { baseUrlSetting } from '../base-url.ts'
import { secretSetting } from '../setting-bounds.ts'

const SENDER = /^(\+?[1-9]\d{2,14}|[A-Za-z0-9 ]{1,11})$/

export const twilioSettings = z
  .strictObject({
    account_sid: z.string().regex(/^AC[0-9a-f]{32}$/i, 'account_sid is AC and 32 hexadecimal digits'),
    /** Also the key of callback signatures, whatever the API is called with. */
    auth_token: secretSetting,
    api_key_sid: z
      .string()
      .regex(/^SK[0-9a-f]{32}$/i, 'api_key_sid is SK and 32 hexadecimal digits')
      .optional(),
    api_key_secret: secretSetting.optional(),
    from: z.string().regex(SENDER, 'from is a number or up to 11 letters, digits and spaces').optional(),
    messaging_service_sid: z
      .string()
      .regex(/^MG[0-9a-f]{32}$/i, 'messaging_service_sid is MG and 32 hexadecimal digits')
      .optional(),
    base_url: baseUrlSetting('https://api.twilio.com'),
  })
  .refine((settings) => (settings.from === undefined) !== (settings.messaging_service_sid === undefined), {
    message: 'give either from or messaging_service_sid',
    path: ['from'],
  })
  .refine((settings) => (settings.api_key_sid === undefined) === (settings.api_key_secret === undefined), {
    message: 'api_key_sid and api_key_secret go together',
    path: ['api_key_secret'],
  })

export type TwilioSettings = z.infer<typeof twilioSettings>
