/** The fields of a provider account's form, made from the schemas of the settings. */
import {
  type ChannelName,
  kindsOfProvider as kinds,
  type ProviderKindName,
} from '../../contract/src/index.ts'

export interface Setting {
  readonly name: string
  readonly label: string
  readonly type: 'text' | 'number' | 'long' | 'languages' | 'flag'
  /** Written, never read back. */
  readonly isCredential: boolean
  readonly isRequired: boolean
  /** Not needed by most: folded away. */
  readonly isRare: boolean
  readonly hint?: string | undefined
  readonly placeholder?: string | undefined
  /** Of a flag that may be left open: what that means. Others are off. */
  readonly whenOpen?: string | undefined
}

export interface KindOfProvider {
  readonly label: string
  readonly channel: ChannelName
  readonly settings: readonly Setting[]
  /** One of the two is to be given, and not both. */
  readonly either: readonly [string, string] | null
}

type Schema = Exclude<
  NonNullable<ReturnType<(typeof kinds)['smpp']['fields']['toJSONSchema']>['properties']>[string],
  boolean
>

function typeOf({ type, contentMediaType }: Schema): Setting['type'] {
  if (type === 'integer') return 'number'
  if (type === 'boolean') return 'flag'
  if (type === 'object') return 'languages'
  return contentMediaType ? 'long' : 'text'
}

/** What holds where nothing is written, or what it may look like. */
function placeholderOf({ default: standard, examples: [example] = [] }: Schema): string | undefined {
  if (standard && typeof standard !== 'object') return String(standard)
  if (typeof example !== 'object' || example === null)
    return example === undefined ? undefined : String(example)
  return Object.entries(example)
    .map((words) => words.join(' '))
    .join('\n')
}

function settingOf(name: string, schema: Schema, isRequired: boolean): Setting {
  const { title = name, description, 'x-when-absent': whenOpen } = schema
  const type = typeOf(schema)
  return {
    name,
    label: title,
    type,
    isCredential: schema.writeOnly === true,
    isRequired,
    isRare: schema['x-rare'] === true,
    hint: type === 'languages' ? `One per line. ${description}` : description,
    placeholder: placeholderOf(schema),
    whenOpen: typeof whenOpen === 'string' ? whenOpen : undefined,
  }
}

function formOf(kind: ProviderKindName): KindOfProvider {
  const { label, channel, fields, ...rules } = kinds[kind]
  const { properties = {}, required = [] } = fields.toJSONSchema({ io: 'input' })
  return {
    label,
    channel,
    settings: Object.entries(properties).flatMap(([name, schema]) =>
      typeof schema === 'object' ? [settingOf(name, schema, required.includes(name))] : [],
    ),
    either: 'either' in rules ? rules.either : null,
  }
}

export const kindsOfProvider: Readonly<Record<ProviderKindName, KindOfProvider>> = {
  smpp: formOf('smpp'),
  twilio: formOf('twilio'),
  whatsapp: formOf('whatsapp'),
  telegram: formOf('telegram'),
  smtp: formOf('smtp'),
}
