/** Provider accounts as `/manage/v1` takes and shows them: one form for each kind. */
import { z } from 'zod'
import { type ChannelName, channelName, channelNames, country, plainText, timestamp } from '../vocabulary.ts'
import { kindsOfProvider, type ProviderKindName, providerKind, secretSettings } from './kinds.ts'
import { withoutDefault } from './setting.ts'

const { smpp, twilio, http, whatsapp, telegram, smtp } = kindsOfProvider
const kindNames = providerKind.options

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
}

/** `SmppSettings`: what a part of the kind is called among the components of the document. */
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
      isChannel(input) ? `${kind} carries ${channel}` : `must be one of ${channelNames.join(', ')}`,
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

/** Settings merge into what is stored, and only the whole can be judged, by the kind that is stored. */
export const updateProviderBody = z.strictObject({
  settings: z.record(z.string(), z.unknown()).optional(),
  ...order,
})

/** Any of them may be left as it is; what need not be there may be taken away. */
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
    .meta({ description: 'Those of the account’s kind that change. Null takes one away.' }),
  ...order,
})

export const providerQuery = z.strictObject({ company_id: plainText.max(64).optional() })

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
  callback_url: z
    .string()
    .nullable()
    .meta({ description: 'What to tell the provider, where it calls back.' }),
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
  to: z.string().regex(/^\+[1-9]\d{7,14}$/, 'to is a number in E.164, with +'),
  text: z.string().min(1).max(1_600),
})
export const dryRunAnswer = z.object({
  method: z.string(),
  url: z.string(),
  headers: z.record(z.string(), z.string()),
  body: z.string().nullable(),
})
export const providersAnswer = z.object({ providers: z.array(providerAnswer) })
export const deleteProviderAnswer = z.object({ provider_id: z.string() })
