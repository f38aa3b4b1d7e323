import { z } from 'zod'
import {
  hostSetting,
  MAX_HOST_LENGTH,
  MAX_SECRET_LENGTH,
  pemSetting,
  secretSetting,
} from '../setting-bounds.ts'

const DOMAIN = /^(?:[a-z0-9](?:[a-z0-9-]*[a-z0-9])?\.)*[a-z0-9](?:[a-z0-9-]*[a-z0-9])?$/i
const MAILBOX = /^(?:[^<>\r\n]*<[^\s<>@]+@[^\s<>@]+>|[^\s<>@]+@[^\s<>@]+)$/
const MIN_SECRET_LENGTH = 16
const MAX_LABEL_LENGTH = 63

const domain = (name: string) =>
  z
    .string()
    .max(MAX_HOST_LENGTH)
    .regex(DOMAIN, `${name} is a domain name`)
    .refine((text) => text.split('.').every((label) => label.length <= MAX_LABEL_LENGTH), {
      message: `${name} has a part of more than ${MAX_LABEL_LENGTH} characters`,
    })

export const smtpSettings = z
  .strictObject({
    host: hostSetting,
    port: z.int().min(1).max(65_535).default(587),
    /** TLS from the first byte; else STARTTLS where the server offers it. */
    secure: z.boolean().optional(),
    /** Refuse to go on in clear. Unless it is said, a password makes it so. */
    require_tls: z.boolean().optional(),
    /** PEM, for a relay whose certificate no public authority signed. */
    tls_ca: pemSetting.optional(),
    user: z.string().min(1).max(MAX_SECRET_LENGTH).optional(),
    password: secretSetting.optional(),
    from: z.string().max(320).regex(MAILBOX, 'from is an address, or a name and an <address>'),
    return_path_domain: domain('return_path_domain').optional(),
    return_path_secret: z
      .string()
      .min(MIN_SECRET_LENGTH, `return_path_secret has at least ${MIN_SECRET_LENGTH} characters`)
      .max(MAX_SECRET_LENGTH)
      .optional(),
    dkim_domain: domain('dkim_domain').optional(),
    dkim_selector: domain('dkim_selector').optional(),
    dkim_private_key: pemSetting.includes('PRIVATE KEY', 'dkim_private_key is a PEM').optional(),
  })
  .refine((settings) => together(settings.user, settings.password), {
    message: 'user and password go together',
    path: ['password'],
  })
  .refine((settings) => together(settings.return_path_domain, settings.return_path_secret), {
    message: 'return_path_domain and return_path_secret go together',
    path: ['return_path_secret'],
  })
  .refine((settings) => together(settings.dkim_domain, settings.dkim_selector, settings.dkim_private_key), {
    message: 'dkim_domain, dkim_selector and dkim_private_key go together',
    path: ['dkim_private_key'],
  })

export type SmtpSettings = z.infer<typeof smtpSettings>

function together(...values: readonly (string | undefined)[]): boolean {
  return values.every((value) => value === undefined) || values.every((value) => value !== undefined)
}
