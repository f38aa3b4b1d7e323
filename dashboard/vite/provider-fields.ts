/** The fields of a provider account's form, made from the schemas of the settings. */
import {
  type ChannelName,
  kindsOfProvider as kinds,
  type ProviderKindName,
} from '../../contract/src/index.ts'
import { presets } from '../../contract/src/providers/http/presets.ts'

export interface Setting {
  readonly name: string
  readonly label: string
  /** Line by line: `list` has a text, `pairs` a name and a value, `table` a text and one of a few words. */
  readonly type: 'text' | 'number' | 'long' | 'flag' | 'choice' | 'list' | 'pairs' | 'table'
  /** A credential is written and never read back. */
  readonly isCredential: boolean
  readonly isRequired: boolean
  /** Most accounts do not need it, so it is folded away. */
  readonly isRare: boolean
  readonly hint?: string | undefined
  readonly placeholder?: string | undefined
  /** For a flag that may be left unset: what that means. Other flags are off then. */
  readonly whenOpen?: string | undefined
  /** The options of a `choice`. */
  readonly options?: readonly string[] | undefined
}

/** A known gateway: its name, and its own names for the settings. */
interface PresetOfProvider {
  readonly label: string
  readonly asks: Readonly<Record<string, string>>
  readonly optional: readonly string[]
}

export interface KindOfProvider {
  readonly label: string
  readonly channel: ChannelName
  readonly settings: readonly Setting[]
  /** Exactly one of these two settings must be given. */
  readonly either: readonly [string, string] | null
  /** The known gateways, by the value of the setting `preset`. */
  readonly presets: Readonly<Record<string, PresetOfProvider>>
}

type Schema = Exclude<
  NonNullable<ReturnType<(typeof kinds)['smpp']['fields']['toJSONSchema']>['properties']>[string],
  boolean
>

function typeOf({
  type,
  contentMediaType,
  enum: options,
  additionalProperties: row,
}: Schema): Setting['type'] {
  if (type === 'integer') return 'number'
  if (type === 'boolean') return 'flag'
  if (type === 'array') return 'list'
  if (type === 'object') return typeof row === 'object' && row.enum ? 'table' : 'pairs'
  if (options) return 'choice'
  return contentMediaType ? 'long' : 'text'
}

const byLine: ReadonlySet<Setting['type']> = new Set(['list', 'pairs', 'table'])

/** The default value, else an example. */
function placeholderOf({ default: standard, examples: [example] = [] }: Schema): string | undefined {
  if (standard && typeof standard !== 'object') return String(standard)
  if (typeof example !== 'object' || example === null)
    return example === undefined ? undefined : String(example)
  const lines = Array.isArray(example) ? example : Object.entries(example).map((words) => words.join(' '))
  return lines.join('\n')
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
    hint: byLine.has(type) ? `One per line. ${description ?? ''}`.trim() : description,
    placeholder: placeholderOf(schema),
    whenOpen: typeof whenOpen === 'string' ? whenOpen : undefined,
    options: type === 'choice' ? schema.enum?.map(String) : undefined,
  }
}

const presetForms = Object.fromEntries(
  Object.entries(presets).map(([name, { label, asks, optional = [] }]) => [
    name,
    { label, asks: { ...asks }, optional },
  ]),
)

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
    presets: kind === 'http' ? presetForms : {},
  }
}

export const kindsOfProvider: Readonly<Record<ProviderKindName, KindOfProvider>> = {
  smpp: formOf('smpp'),
  twilio: formOf('twilio'),
  http: formOf('http'),
  whatsapp: formOf('whatsapp'),
  telegram: formOf('telegram'),
  smtp: formOf('smtp'),
}
