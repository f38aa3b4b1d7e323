import { z } from 'zod'
import { baseUrlSetting } from '../base-url.ts'
import { secretSetting } from '../setting-bounds.ts'

const MAX_LANGUAGES = 200
const MAX_TEMPLATE_NAME_LENGTH = 512
const MAX_LOCALE_LENGTH = 35

export const whatsappSettings = z.strictObject({
  phone_number_id: z.string().regex(/^\d{1,32}$/, 'phone_number_id is digits, as Meta shows it'),
  /** What people write to; the links of link mode are made of it. */
  number: z.string().regex(/^\+[1-9]\d{4,14}$/, 'number is E.164 with +'),
  access_token: secretSetting,
  app_secret: secretSetting,
  verify_token: secretSetting,
  template_name: z
    .string()
    .max(MAX_TEMPLATE_NAME_LENGTH)
    .regex(/^[a-z0-9_]+$/, 'template_name is lower-case letters, digits and _'),
  /** Our locale to Meta's code: name those in which the template is approved. */
  template_languages: z
    .record(
      z.string().min(1).max(MAX_LOCALE_LENGTH),
      z.string().regex(/^[a-z]{2,3}(_[A-Za-z]{2,4})?$/, 'a Meta language code such as en_US'),
    )
    .refine((languages) => Object.keys(languages).length > 0, 'template_languages may not be empty')
    .refine(
      (languages) => Object.keys(languages).length <= MAX_LANGUAGES,
      `template_languages has at most ${MAX_LANGUAGES} entries`,
    )
    .optional(),
  base_url: baseUrlSetting('https://graph.facebook.com/v21.0'),
})

export type WhatsappSettings = z.infer<typeof whatsappSettings>
