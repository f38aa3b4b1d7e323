/** An app's settings: what PATCH merges into, validated whole. */
import { z } from 'zod'
import { channelName, country, positiveAmount, trimmedText } from '../vocabulary.ts'

const order = z
  .array(channelName)
  .min(1, 'must name at least one channel')
  .refine((channels) => new Set(channels).size === channels.length, 'must not name a channel twice')

/** How the account of a channel is chosen, where there are several. */
export const accountChoice = z.enum(['priority', 'learned']).meta({
  description:
    '`priority`: the first that can take the message. `learned`: the one whose approvals cost least in that country.',
})
export type AccountChoice = z.infer<typeof accountChoice>

export const routing = z.strictObject({
  default: order.default(['sms', 'whatsapp', 'telegram', 'email']),
  countries: z.record(country, order).default({}),
  accounts: accountChoice.nullable().default(null).meta({
    description: 'How an account is chosen, where there are several; null: as the installation says.',
  }),
  learned: z
    .strictObject({
      floor: z.number().min(0.5).max(1).default(0.9).meta({
        description:
          'All accounts together bring at least this share of the approvals that the best one would bring.',
      }),
      trying: z.number().min(0.01).max(0.3).default(0.1).meta({
        description: 'At most this share of messages goes through other accounts, only to learn about them.',
      }),
    })
    .prefault({}),
})

export const whatsappMode = z.enum(['template', 'link_code', 'link_inbound'])
export type WhatsappMode = z.infer<typeof whatsappMode>

export const toggle = z.strictObject({ enabled: z.boolean().default(true) })
export const channels = z.strictObject({
  sms: toggle.prefault({}),
  whatsapp: z
    .strictObject({ enabled: z.boolean().default(true), mode: whatsappMode.default('template') })
    .prefault({}),
  telegram: toggle.prefault({}),
  email: toggle.prefault({}),
})

export const geo = z.strictObject({
  mode: z.enum(['block', 'allow']).default('block'),
  countries: z.array(country).max(250).default([]),
})

/** Bounded, since the times of all failures are stored in one row. */
const failuresMax = 1_000
const sendsMax = 1_000_000
const windows = (highest: number) =>
  z
    .array(
      z.strictObject({
        max: z.int().min(1).max(highest),
        window_s: z.int().min(1).max(86_400),
      }),
    )
    .min(1)
    .max(4)

export type LimitWindow = { readonly max: number; readonly window_s: number }

export const limits = z.strictObject({
  recipient: windows(sendsMax).default([
    { max: 5, window_s: 600 },
    { max: 20, window_s: 86_400 },
  ]),
  recipient_failures: windows(failuresMax).default([{ max: 50, window_s: 86_400 }]),
  ip: windows(sendsMax).default([{ max: 100, window_s: 600 }]),
  flagged_ip: windows(sendsMax).default([{ max: 4, window_s: 600 }]),
  app: windows(sendsMax).default([{ max: 6_000, window_s: 60 }]),
  app_without_ip: windows(sendsMax).default([{ max: 20, window_s: 60 }]),
})

export const pumpingMode = z.enum(['off', 'monitor', 'auto', 'enforce']).meta({
  description:
    '`auto`: only records where the simulator carries, learns first where a real carrier does. `monitor`: only records. `enforce`: holds back from the start.',
})

export const pumping = z.strictObject({
  mode: pumpingMode.default('auto'),
  declared_countries: z.array(country).max(250).default([]),
  declared_conversion: z.number().min(0.05).max(1).nullable().default(null).meta({
    description:
      'The share of new people who type their code, where you know it. Without it the guard learns it from what happens.',
  }),
  learning_budget: positiveAmount.nullable().default(null).meta({
    description:
      'What may be spent in the first hour after a carrier or country was closed, to learn whether people are there. Null: three messages.',
  }),
  safe_prefixes: z
    .array(z.string().regex(/^\+[1-9]\d{1,13}$/, 'must be `+` and 2 to 14 digits'))
    .max(1_000)
    .default([]),
})

const spendCap = z
  .string()
  .refine(
    (text) => text === 'learned' || text === 'off' || positiveAmount.safeParse(text).success,
    'must be "learned", "off", or an amount above zero such as "25.00"',
  )
  .meta({ description: '`learned`: from what the app’s own people approve. `off`: no cap. Or an amount.' })

/** Money by UTC day and country of the recipient; and by hour, less what was spent on approved verifications. */
export const spendCaps = z.strictObject({
  day_by_country: z
    .strictObject({
      default: spendCap.default('learned'),
      countries: z.record(country, spendCap).default({}),
    })
    .prefault({}),
  hour_unverified: spendCap.default('learned'),
})

const localeTag = z
  .string()
  .min(2)
  .max(35)
  .meta({ description: 'A language tag (BCP 47) that there are texts for.', examples: ['en', 'pt-BR'] })
const ownText = z.string().max(4_096)
export const textTemplate = z.strictObject({ text: ownText })
export const messageTemplate = z.strictObject({
  text: ownText,
  subject: z.string().max(200),
  html: z.string().max(50_000).optional(),
})

/** About twice as many as there are shipped languages; without a bound an app could grow with every PATCH. */
const mostLocales = 100
const byLocale = <Template extends z.ZodType>(template: Template) =>
  z
    .record(localeTag, template)
    .refine((texts) => Object.keys(texts).length <= mostLocales, `must have at most ${mostLocales} languages`)
    .default({})

/** An app's own texts. Telegram writes its own; WhatsApp's here are the answers in link mode. */
export const messages = z.strictObject({
  sms: byLocale(textTemplate),
  whatsapp: byLocale(textTemplate),
  email: byLocale(messageTemplate),
})

export const autofill = z.strictObject({
  web_domain: z
    .string()
    .min(4)
    .max(80)
    .regex(
      /^(?:[a-z0-9](?:[a-z0-9-]*[a-z0-9])?\.)+[a-z]{2,}$/,
      'must be a domain in lower case such as example.com',
    )
    .optional()
    .meta({
      description: 'Adds the line by which browsers and iOS fill the code in on pages of this domain.',
    }),
  android_hash: z
    .string()
    .regex(/^[A-Za-z0-9+/]{11}$/, 'must be the 11-character hash of your Android app')
    .optional()
    .meta({ description: 'Adds the hash by which Android hands the message to your app.' }),
})

export const disposableEmail = z.enum(['limit', 'refuse', 'allow']).meta({
  description:
    'Email addresses of services that give them away for an hour: held to half of `limits.recipient`, refused as invalid, or treated as any other.',
})

export const proof = z.strictObject({
  enabled: z.boolean().default(false),
  audience: trimmedText(200)
    .nullable()
    .default(null)
    .meta({ description: 'Whom a proof is for (`aud`). Null: the id of the app.' }),
})

export const numberCheck = z.enum(['e164', 'possible', 'valid']).meta({
  description:
    'What a phone number must be: `+` and 8 to 15 digits with a calling code that exists; also of a length that exists there; or one that the numbering plan knows.',
})
export type NumberCheck = z.infer<typeof numberCheck>

export const appSettings = z.strictObject({
  routing: routing.prefault({}),
  channels: channels.prefault({}),
  geo: geo.prefault({}),
  limits: limits.prefault({}),
  pumping: pumping.prefault({}),
  spend_caps: spendCaps.prefault({}),
  number_check: numberCheck.default('e164'),
  disposable_email: disposableEmail.default('limit'),
  code_length: z.int().min(4).max(8).default(6),
  code_ttl_s: z.int().min(60).max(600).default(600),
  max_verify_attempts: z.int().min(1).max(10).default(5),
  max_sends: z.int().min(1).max(10).default(5),
  resend_cooldown_s: z.int().min(0).max(600).default(30),
  token_ttl_s: z.int().min(60).max(3_600).default(600),
  default_locale: localeTag.default('en'),
  messages: messages.prefault({}),
  autofill: autofill.prefault({}),
  proof: proof.prefault({}),
})
export type AppSettings = z.infer<typeof appSettings>

/** `name` is sent beside the settings. */
export const appName = trimmedText(60)
