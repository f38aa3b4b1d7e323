import { z } from 'zod'
import { baseUrl, plainSecret, secret, setting } from './setting.ts'

const MAX_LANGUAGES = 200
const MAX_TEMPLATE_NAME_LENGTH = 512
const MAX_LOCALE_LENGTH = 35

const templateLanguages = z
  .record(
    z.string().min(1).max(MAX_LOCALE_LENGTH),
    z.string().regex(/^[a-z]{2,3}(_[A-Za-z]{2,4})?$/, 'must be a Meta language code such as en_US'),
  )
  .refine((languages) => Object.keys(languages).length > 0, 'must not be empty')
  .refine(
    (languages) => Object.keys(languages).length <= MAX_LANGUAGES,
    `must have at most ${MAX_LANGUAGES} entries`,
  )

export const whatsappSettings = z.strictObject({
  phone_number_id: setting(z.string().regex(/^\d{1,32}$/, 'must be digits, as Meta shows it'), {
    title: 'Phone number ID',
    description: 'Digits, as Meta shows it.',
  }),
  number: setting(z.string().regex(/^\+[1-9]\d{4,14}$/, 'must be E.164 with +'), {
    title: 'Number',
    description: 'What people write to: links lead there.',
    examples: ['+15551234567'],
  }),
  access_token: setting(plainSecret, {
    title: 'Access token',
    writeOnly: true,
    'x-destination': 'credential',
  }),
  app_secret: setting(plainSecret, {
    title: 'App secret',
    description: 'Checks the signature of webhooks.',
    writeOnly: true,
  }),
  verify_token: setting(secret, {
    title: 'Verify token',
    description: 'Any text. You repeat it at Meta.',
    writeOnly: true,
  }),
  template_name: setting(
    z
      .string()
      .max(MAX_TEMPLATE_NAME_LENGTH)
      .regex(/^[a-z0-9_]+$/, 'must be lower-case letters, digits and _'),
    {
      title: 'Template name',
      description: 'Of the category Authentication, with a copy-code button.',
      examples: ['verification_code'],
    },
  ),
  template_languages: setting(templateLanguages, {
    title: 'Languages of the template',
    description:
      'Our locale to Meta’s code, for each language that the template is approved in. Left empty, the code is made from the locale.',
    examples: [{ en: 'en_US', 'pt-BR': 'pt_BR' }],
    'x-rare': true,
  }).optional(),
  base_url: baseUrl('https://graph.facebook.com/v21.0'),
})

export type WhatsappSettings = z.infer<typeof whatsappSettings>
