/** Provider accounts as `/manage/v1` takes and shows them: one form for each kind. */
import { z } from 'zod'
import { wholeQuery } from '../page.ts'
import {
  type ChannelName,
  channelName,
  channelNames,
  country,
  messagePrice,
  plainText,
  timestamp,
} from '../vocabulary.ts'

import { kindsOfProvider, type ProviderKindName, providerKind, secretSettings } from './kinds.ts'
import { withoutDefault } from './setting.ts'

const { smpp, twilio, http, whatsapp, telegram, smtp } = kindsOfProvider
const kindNames = providerKind.options

const costs = z
  .strictObject({
    default: messagePrice.nullable().optional(),
    countries: z.record(country, messagePrice).optional(),
  })
  .meta({
    description:
      'What the provider asks for a message, in the currency of the price book. Where nothing is said, the price book counts.',
  })

const order = {
  name: plainText.trim().min(1).max(60).nullable().optional(),
  countries: z
    .array(country)
    .min(1)
    .max(250)
    .nullable()
    .optional()
    .meta({ description: 'Null: every country.' }),
  priority: z.int().min(0).max(10_000).optional().meta({ description: 'Lower comes first. Default 100.' }),
  enabled: z.boolean().optional(),
  costs: costs.nullable().optional(),
}

/** The name of a kind's schema among the components of the OpenAPI document, such as `SmppSettings`. */
const nameOf = (kind: string, before: string, after: string) => ({
  id: `${before}${kind.charAt(0).toUpperCase()}${kind.slice(1)}${after}`,
})
const byKind = (before: string, after: string) => ({
  discriminator: {
    propertyName: 'kind',
    mapping: Object.fromEntries(
      kindNames.map((kind) => [kind, `#/components/schemas/${nameOf(kind, before, after).id}`]),
    ),
  },
})

const isChannel = (value: unknown) => channelName.safeParse(value).success
const channelOf = <Channel extends ChannelName>(kind: string, channel: Channel) =>
  z.literal(channel, {
    error: ({ input }) =>
      isChannel(input)
        ? `must be ${channel}, which is what ${kind} carries`
        : `must be one of ${channelNames.join(', ')}`,
  })

function newAccount<Kind extends string, Channel extends ChannelName, Settings extends z.ZodType>(
  kind: Kind,
  { channel, settings }: { readonly channel: Channel; readonly settings: Settings },
) {
  return z
    .strictObject({
      company_id: z
        .string()
        .nullable()
        .optional()
        .meta({ description: 'Null or absent: the operator’s own.' }),
      channel: channelOf(kind, channel),
      kind: z.literal(kind),
      settings: settings.meta(nameOf(kind, '', 'Settings')),
      ...order,
    })
    .meta(nameOf(kind, 'New', 'Provider'))
}

export const createProviderBody = z
  .discriminatedUnion(
    'kind',
    [
      newAccount('smpp', smpp),
      newAccount('twilio', twilio),
      newAccount('http', http),
      newAccount('whatsapp', whatsapp),
      newAccount('telegram', telegram),
      newAccount('smtp', smtp),
    ],
    {
      error: ({ code }) => (code === 'invalid_union' ? `must be one of ${kindNames.join(', ')}` : undefined),
    },
  )
  .meta(byKind('New', 'Provider'))

/** Settings are merged into the stored ones. Only the result can be validated, by the schema of its kind. */
export const updateProviderBody = z.strictObject({
  settings: z.record(z.string(), z.unknown()).optional(),
  ...order,
})

/** Each setting may be left out; an optional one may be removed with null. */
const changeOf = (kind: ProviderKindName) =>
  z
    .strictObject(
      Object.fromEntries(
        Object.entries<z.ZodType>(kindsOfProvider[kind].fields.shape).map(([name, schema]) => {
          const value = withoutDefault(schema)
          return [name, (schema === value ? value : value.nullable()).optional()]
        }),
      ),
    )
    .meta(nameOf(kind, '', 'SettingsChange'))

export const shownUpdateProviderBody = z.strictObject({
  settings: z
    .union(kindNames.map(changeOf))
    .optional()
    .meta({ description: 'Those of the account’s kind that change. Null removes one.' }),
  ...order,
})

/** As many accounts as the operator may have. */
const accountsOfPage = 500
export const providerQuery = wholeQuery(accountsOfPage).extend({
  company_id: plainText
    .max(64)
    .optional()
    .meta({ description: 'Only those of this company; without it those of all, the operator’s first.' }),
  owner: z
    .enum(['operator', 'companies'])
    .optional()
    .meta({ description: 'Without a company: only the operator’s, or only those of companies.' }),
  channel: channelName.optional(),
})

const seconds = (what: string) =>
  z
    .number()
    .nullable()
    .meta({ description: `${what}, on average over the last hour; null without any.` })

const accountState = z
  .object({
    status: z.enum(['up', 'connecting', 'failing', 'unknown']).meta({
      description:
        '`failing`: it has no connection, or its last attempts erred. `unknown`: it rests, or nothing has been asked of it yet.',
    }),
    since: timestamp.nullable(),
    last_error: z.object({ code: z.string(), message: z.string(), at: timestamp }).nullable(),
    sent_1h: z.int().meta({ description: 'Messages that it took in the last hour.' }),
    failed_1h: z.int().meta({
      description: 'Attempts that it did not take in the last hour, and messages that it reported as failed.',
    }),
    delivered_1h: z.int().meta({ description: 'Messages that it reported as delivered in the last hour.' }),
    seconds_to_accept: seconds('From handing a message over to the answer'),
    seconds_to_deliver: seconds('From the answer to the receipt'),
  })
  .meta({ id: 'AccountState' })

const answer = z.object({
  provider_id: z.string(),
  company_id: z.string().nullable(),
  channel: channelName,
  kind: providerKind,
  name: z.string().nullable(),
  settings: z.record(z.string(), z.unknown()),
  credentials_set: z.array(z.string()),
  destination: z.object({ settings: z.array(z.string()), credentials: z.array(z.string()) }).meta({
    description: 'A change of one of these settings needs these credentials again, in the same call.',
  }),
  countries: z.array(z.string()).nullable(),
  priority: z.int(),
  enabled: z.boolean(),
  costs: z.object({ default: z.string().nullable(), countries: z.record(z.string(), z.string()) }).nullable(),
  state: accountState,
  callback_url: z.string().nullable().meta({
    description:
      'What to tell the provider, where it calls back. Null for a viewer where it ends in a token.',
  }),
  created_at: timestamp,
})
export type ProviderAnswer = z.infer<typeof answer>

function shownSettings(kind: ProviderKindName) {
  const secrets = secretSettings(kind)
  const shown = Object.entries<z.ZodType>(kindsOfProvider[kind].fields.shape).filter(
    ([name]) => !secrets.includes(name),
  )
  return z
    .object(Object.fromEntries(shown))
    .meta({ ...nameOf(kind, '', 'SettingsAnswer'), description: 'Without credentials.' })
}

const answerOf = (kind: ProviderKindName) =>
  answer
    .extend({
      channel: z.literal(kindsOfProvider[kind].channel),
      kind: z.literal(kind),
      settings: shownSettings(kind),
    })
    .meta(nameOf(kind, '', 'Provider'))

export const providerAnswer: z.ZodType<ProviderAnswer, ProviderAnswer> = z
  .discriminatedUnion('kind', [
    answerOf('smpp'),
    answerOf('twilio'),
    answerOf('http'),
    answerOf('whatsapp'),
    answerOf('telegram'),
    answerOf('smtp'),
  ])
  .meta(byKind('', 'Provider'))

export const dryRunBody = z.strictObject({
  to: z.string().regex(/^\+[1-9]\d{7,14}$/, 'must be a number in E.164, with +'),
  text: z.string().min(1).max(1_600),
})
export const dryRunAnswer = z.object({
  method: z.string(),
  url: z.string(),
  headers: z.record(z.string(), z.string()),
  body: z.string().nullable(),
})
export const providersAnswer = z.object({
  providers: z.array(providerAnswer),
  next_cursor: z.string().nullable(),
})
export const deleteProviderAnswer = z.object({ provider_id: z.string() })

export const step = z.object({
  name: z.enum(['settings', 'connect', 'send']),
  ok: z.boolean(),
  detail: z.string().meta({ description: 'One sentence.' }),
  ms: z.int(),
})
export const checkProviderAnswer = z.object({ steps: z.array(step) })
export const testProviderBody = z.strictObject({
  to: plainText
    .trim()
    .min(1)
    .max(320)
    .meta({ description: 'A phone number as people write it, or an email address: by the channel.' }),
  country: country.nullish().meta({ description: 'Where a number without its calling code is dialled.' }),
})
export const testProviderAnswer = z.object({
  steps: z.array(step).meta({ description: 'In order; the first that is not `ok` is the last.' }),
  message_id: z.string().nullable().meta({ description: 'The provider’s own id of the message.' }),
})
