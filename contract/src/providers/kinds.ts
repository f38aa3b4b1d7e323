/** Every kind of provider: its channel, and the settings of its accounts. */
import { z } from 'zod'
import { httpFields } from './http/fields.ts'
import { httpSettings } from './http/settings.ts'
import { wordsOf } from './setting.ts'
import { smppSettings } from './smpp.ts'
import { smtpFields, smtpSettings } from './smtp.ts'
import { telegramSettings } from './telegram.ts'
import { twilioFields, twilioSenders, twilioSettings } from './twilio.ts'
import { whatsappSettings } from './whatsapp.ts'

/** `fields` are the settings one by one, `settings` adds the rules between them. */
export const kindsOfProvider = {
  smpp: { label: 'SMPP', channel: 'sms', fields: smppSettings, settings: smppSettings },
  twilio: {
    label: 'Twilio',
    channel: 'sms',
    fields: twilioFields,
    settings: twilioSettings,
    /** Exactly one of these two settings must be given. */
    either: twilioSenders,
  },
  http: { label: 'Another SMS gateway', channel: 'sms', fields: httpFields, settings: httpSettings },
  whatsapp: {
    label: 'WhatsApp Cloud API',
    channel: 'whatsapp',
    fields: whatsappSettings,
    settings: whatsappSettings,
  },
  telegram: {
    label: 'Telegram Gateway',
    channel: 'telegram',
    fields: telegramSettings,
    settings: telegramSettings,
  },
  smtp: { label: 'SMTP', channel: 'email', fields: smtpFields, settings: smtpSettings },
} as const

export type ProviderKindName = keyof typeof kindsOfProvider
export const providerKind = z.enum(['smpp', 'twilio', 'http', 'whatsapp', 'telegram', 'smtp'])

type Words = ReturnType<typeof wordsOf>

const settingsWhere = (kind: ProviderKindName, holds: (words: Words) => boolean): readonly string[] =>
  Object.entries<z.ZodType>(kindsOfProvider[kind].fields.shape).flatMap(([name, schema]) =>
    holds(wordsOf(schema)) ? [name] : [],
  )

/** Credentials: encrypted at rest, written and never read back. */
export const secretSettings = (kind: ProviderKindName) =>
  settingsWhere(kind, ({ writeOnly }) => writeOnly === true)

/** Which settings decide where credentials go, and which credentials those are. */
export const destinationOf = (kind: ProviderKindName) => ({
  settings: settingsWhere(kind, (words) => words['x-destination'] === 'place'),
  credentials: settingsWhere(kind, (words) => words['x-destination'] === 'credential'),
})
