import { z } from 'zod'
import { baseUrl, either, plainSecret, setting, together } from './setting.ts'

const SENDER = /^(\+?[1-9]\d{2,14}|[A-Za-z0-9 ]{1,11})$/

export const twilioFields = z.strictObject({
  account_sid: setting(
    z.string().regex(/^[Aa][Cc][0-9A-Fa-f]{32}$/, 'must be AC and 32 hexadecimal digits'),
    { title: 'Account SID', examples: ['AC0123456789abcdef0123456789abcdef'] },
  ),
  auth_token: setting(plainSecret, {
    title: 'Auth token',
    description: 'Also checks the signature of callbacks.',
    writeOnly: true,
    'x-destination': 'credential',
  }),
  from: setting(z.string().regex(SENDER, 'must be a number or up to 11 letters, digits and spaces'), {
    title: 'Sender',
    description: 'A number, or up to 11 letters, digits and spaces. This or a messaging service.',
    examples: ['+15005550006'],
  }).optional(),
  messaging_service_sid: setting(
    z.string().regex(/^[Mm][Gg][0-9A-Fa-f]{32}$/, 'must be MG and 32 hexadecimal digits'),
    { title: 'Messaging service SID', examples: ['MG0123456789abcdef0123456789abcdef'] },
  ).optional(),
  api_key_sid: setting(
    z.string().regex(/^[Ss][Kk][0-9A-Fa-f]{32}$/, 'must be SK and 32 hexadecimal digits'),
    { title: 'API key SID', examples: ['SK0123456789abcdef0123456789abcdef'], 'x-rare': true },
  ).optional(),
  api_key_secret: setting(plainSecret, {
    title: 'API key secret',
    description: 'Needed with an API key SID.',
    writeOnly: true,
    'x-destination': 'credential',
    'x-rare': true,
  }).optional(),
  base_url: baseUrl('https://api.twilio.com'),
})

export const twilioSenders = ['from', 'messaging_service_sid'] as const

export const twilioSettings = together(
  either(twilioFields, ...twilioSenders),
  'api_key_sid',
  'api_key_secret',
)

export type TwilioSettings = z.infer<typeof twilioSettings>
