import { z } from 'zod'
import {
  authority,
  host,
  MAX_HOST_LENGTH,
  MAX_SECRET_LENGTH,
  pem,
  pemType,
  port,
  secret,
  setting,
  together,
} from './setting.ts'

const DOMAIN = /^(?:[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?\.)*[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?$/
const MAILBOX = /^(?:[^<>\r\n]*<[^\s<>@]+@[^\s<>@]+>|[^\s<>@]+@[^\s<>@]+)$/
const MIN_SECRET_LENGTH = 16
const MAX_LABEL_LENGTH = 63

const domain = z
  .string()
  .max(MAX_HOST_LENGTH)
  .regex(DOMAIN, 'must be a domain name')
  .refine((text) => text.split('.').every((label) => label.length <= MAX_LABEL_LENGTH), {
    message: `must have no part of more than ${MAX_LABEL_LENGTH} characters`,
  })

const returnPathSecret = z
  .string()
  .min(MIN_SECRET_LENGTH, `must have at least ${MIN_SECRET_LENGTH} characters`)
  .max(MAX_SECRET_LENGTH)

export const smtpFields = z.strictObject({
  host: host('smtp.mail.example'),
  port: port(587),
  user: setting(z.string().min(1).max(MAX_SECRET_LENGTH), { title: 'User' }).optional(),
  password: setting(secret, {
    title: 'Password',
    description: 'Needed with a user.',
    writeOnly: true,
    'x-destination': 'credential',
  }).optional(),
  from: setting(z.string().max(320).regex(MAILBOX, 'must be an address, or a name and an <address>'), {
    title: 'Sender',
    description: 'An address, or a name and an <address>.',
    examples: ['Shop <codes@shop.example>'],
  }),
  secure: setting(z.boolean(), {
    title: 'TLS from the first byte',
    description: 'If off, STARTTLS where the server offers it.',
    'x-destination': 'place',
    'x-when-absent': 'By the port',
  }).optional(),
  require_tls: setting(z.boolean(), {
    title: 'Require encryption',
    'x-destination': 'place',
    'x-rare': true,
    'x-when-absent': 'With a password',
  }).optional(),
  return_path_domain: setting(domain, {
    title: 'Return path domain',
    description: 'The domain to which delivery reports are sent. Without it there are none.',
    examples: ['bounces.shop.example'],
    'x-rare': true,
  }).optional(),
  return_path_secret: setting(returnPathSecret, {
    title: 'Return path secret',
    description: `At least ${MIN_SECRET_LENGTH} characters. Goes with the domain.`,
    writeOnly: true,
    'x-rare': true,
  }).optional(),
  dkim_domain: setting(domain, { title: 'DKIM domain', 'x-rare': true }).optional(),
  dkim_selector: setting(domain, { title: 'DKIM selector', 'x-rare': true }).optional(),
  dkim_private_key: setting(pem.includes('PRIVATE KEY', 'must be a PEM'), {
    ...pemType,
    title: 'DKIM private key',
    description: 'PEM. Domain, selector and key go together.',
    writeOnly: true,
    'x-rare': true,
  }).optional(),
  tls_ca: authority,
})

export const smtpSettings = together(
  together(together(smtpFields, 'user', 'password'), 'return_path_domain', 'return_path_secret'),
  'dkim_domain',
  'dkim_selector',
  'dkim_private_key',
)

export type SmtpSettings = z.infer<typeof smtpSettings>
