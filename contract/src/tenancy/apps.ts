/** Bodies about apps, and about the texts of their messages. */
import { z } from 'zod'
import { wholeQuery } from '../page.ts'
import { amount, timestamp } from '../vocabulary.ts'
import { accountChoice, appName, appSettings, messageTemplate, routing } from './settings.ts'
import { changesOf } from './settings-change.ts'

export const createAppBody = appSettings.partial().extend({ name: appName }).strict()
/** Null means the default here too. */
export const shownCreateAppBody = z.strictObject({
  name: appName,
  ...Object.fromEntries(
    Object.entries(appSettings.shape).map(([name, setting]) => [name, setting.nullable().optional()]),
  ),
})
export const updateAppBody = z.strictObject({ name: appName.optional(), ...changesOf(appSettings.shape) })
export const appAnswer = appSettings.extend({
  routing: routing.extend({ accounts: accountChoice }),
  accounts_inherited: z.boolean().meta({
    description:
      'True where the app does not set how accounts are chosen, so that the installation’s setting applies.',
  }),
  app_id: z.string(),
  company_id: z.string(),
  name: z.string(),
  created_at: timestamp,
  twilio_service_sid: z.string().meta({
    description:
      'The app’s id for Twilio Verify’s clients, under `/twilio/v2`: `VA` and 32 hexadecimal digits.',
  }),
  twilio_account_sid: z
    .string()
    .meta({ description: 'The company’s id for these clients: `AC` and 32 hexadecimal digits.' }),
  paused_at: timestamp
    .nullable()
    .meta({ description: 'Set while the app is paused: every send is refused.' }),
})
export const deleteAppAnswer = z.object({ app_id: z.string() })
export type AppAnswer = z.infer<typeof appAnswer>

export const appsQuery = wholeQuery(1_000)
export const appsAnswer = z.object({
  apps: z.array(
    z.object({
      app_id: z.string(),
      name: z.string(),
      created_at: timestamp,
      paused_at: timestamp.nullable(),
    }),
  ),
  next_cursor: z.string().nullable(),
})

export const lintMessageBody = z.strictObject({
  channel: z.enum(['sms', 'whatsapp', 'email']),
  locale: z.string().min(2).max(35),
  template: messageTemplate
    .partial({ subject: true })
    .optional()
    .meta({ description: 'Absent: the text that is shipped for this locale.' }),
})
export const lintMessageAnswer = z.object({
  ok: z.boolean().meta({ description: 'True when it can be saved; there may be warnings.' }),
  encoding: z.enum(['gsm7', 'ucs2']).nullable(),
  segments: z.int().nullable(),
  units: z.int().nullable(),
  price: amount.meta({
    description: 'What one message of this channel costs where no country says otherwise.',
  }),
  rendered: z
    .object({
      subject: z.string().nullable(),
      text: z.string(),
      html: z.string().nullable(),
    })
    .meta({ description: 'As a person would get it, with a made-up code.' }),
  problems: z.array(z.object({ level: z.enum(['error', 'warning']), path: z.string(), message: z.string() })),
})
