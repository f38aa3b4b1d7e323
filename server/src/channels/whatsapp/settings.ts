import { z } from 'zod'
import { baseUrlSetting } from '../base-url.ts'

export const whatsappSettings = z.strictObject({
  phone_number_id: z.string().regex(/^\d{1,32}$/, 'phone_number_id is digits, as Meta shows it'),
  /** What people write to; the links of link mode are made of it. */
  number: z.string().regex(/^\+[1-9]\d{4,14}$/, 'number is E.164 with +'),
  access_token: z.string().min(1, 'access_token is required'),
  app_secret: z.string().min(1, 'app_secret is required'),
  verify_token: z.string().min(1, 'verify_token is required'),
  template_name: z.string().regex(/^[a-z0-9_]{1,512}$/, 'template_name is lower-case letters, digits and _'),
  /** Our locale to Meta's code: name those in which the template is approved. */
  template_languages: z
    .record(
      z.string().min(1),
      z.string().regex(/^[a-z]{2,3}(_[A-Za-z]{2,4})?$/, 'a Meta language code such as en_US'),
    )
    .refine((languages) => Object.keys(languages).length > 0, 'template_languages may not be empty')
    .optional(),
  base_url: baseUrlSetting('https://graph.facebook.com/v21.0'),
})

export type WhatsappSettings = z.infer<typeof whatsappSettings>
