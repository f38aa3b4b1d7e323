/** Turns an account into the values of its form, and back. */
import type { ProviderAnswer } from '@countersign/contract'
import { kindsOfProvider, type Setting } from '#contract'
import type { InputOf } from '#lib/client.ts'
import { givenNumber } from '#lib/form/typed.ts'

type ProviderKind = ProviderAnswer['kind']

export interface ProviderValues {
  readonly company_id: string | null
  readonly kind: ProviderKind
  readonly name: string
  readonly countries: readonly string[]
  readonly priority: number | null
  readonly enabled: boolean
  /** The cost of one message, as typed. Costs by country can be set only over the API. */
  readonly costs: { readonly default: string }
  /** As typed. For a credential, empty leaves it as it is and null removes it. */
  readonly settings: Readonly<Record<string, string | null>>
}

const standardPriority = 100

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null

function textOf(setting: Setting, value: unknown): string {
  if (value === undefined || value === null) return ''
  if (Array.isArray(value)) return value.join('\n')
  if (isObject(value)) {
    const between = setting.name === 'headers' ? ': ' : ' '
    return Object.entries(value)
      .map(([name, word]) => `${name}${between}${word}`)
      .join('\n')
  }
  return String(value)
}

const settingsAsText = (kind: ProviderKind, settings: Readonly<Record<string, unknown>>) =>
  Object.fromEntries(
    kindsOfProvider[kind].settings.map((setting) => [
      setting.name,
      setting.isCredential ? '' : textOf(setting, settings[setting.name]),
    ]),
  )

export const emptyValues = (
  kind: ProviderKind,
  companyId: string | null,
  preset: string | null = null,
): ProviderValues => ({
  settings: settingsAsText(kind, preset === null ? {} : { preset }),
  company_id: companyId,
  kind,
  name: '',
  countries: [],
  priority: standardPriority,
  enabled: true,
  costs: { default: '' },
})

/** The fields of the form: those that are asked for, under the gateway's own names, and those that are folded away. */
export function fieldsOf({ kind, settings }: Pick<ProviderValues, 'kind' | 'settings'>): readonly Setting[] {
  const { presets, settings: all } = kindsOfProvider[kind]
  // The gateway was chosen together with the kind.
  const others = all.filter(({ name }) => name !== 'preset')
  const known = presets[settings.preset ?? '']
  if (!known) return others.map((one) => ({ ...one, isRequired: one.isRequired || isAddress(kind, one) }))
  const { asks, optional } = known
  const asked = Object.entries(asks).flatMap(([name, label]) =>
    others
      .filter((one) => one.name === name)
      .map((one) => ({ ...one, label, isRequired: !optional.includes(name), isRare: false })),
  )
  const rest = others.filter(({ name }) => !(name in asks)).map((one) => ({ ...one, isRare: true }))
  return [...asked, ...rest]
}

const isAddress = (kind: ProviderKind, { name }: Setting) => kind === 'http' && name === 'base_url'

export const valuesOf = (account: ProviderAnswer): ProviderValues => ({
  settings: settingsAsText(account.kind, account.settings),
  company_id: account.company_id,
  kind: account.kind,
  name: account.name ?? '',
  countries: account.countries ?? [],
  priority: account.priority,
  enabled: account.enabled,
  costs: { default: account.costs?.default ?? '' },
})

const linesOf = (text: string) =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')

/** A line of a table is a text, which may have spaces, and one word. A pair is a name without spaces, and a value. */
const rowPatterns = { table: /^(.*\S)\s+(\S+)$/, pairs: /^([^\s:=]+)\s*[\s:=]\s*(\S.*)$/ } as const

function settingFrom({ type }: Setting, text: string): unknown {
  if (type === 'number') return Number(text)
  if (type === 'flag') return text === 'true'
  if (type === 'list') return linesOf(text)
  if (type !== 'table' && type !== 'pairs') return text
  const rows = linesOf(text).map((line) => rowPatterns[type].exec(line))
  // If a line does not match, the text is sent as it is, and the contract refuses it.
  return rows.every((row) => row !== null)
    ? Object.fromEntries(rows.map(([, name, word]) => [name, word]))
    : text
}

/** Only the settings that were changed. A credential that is not among them stays. */
export function changedSettings(
  values: ProviderValues,
  account: ProviderAnswer | null,
): Record<string, unknown> {
  const changes: [string, unknown][] = []
  for (const setting of kindsOfProvider[values.kind].settings) {
    const typed = values.settings[setting.name] ?? null
    const text = typed?.trim() ?? ''
    const before = setting.isCredential ? '' : textOf(setting, account?.settings[setting.name])
    if (setting.isCredential && typed === null) changes.push([setting.name, null])
    else if (text === before) continue
    else if (text === '') changes.push([setting.name, null])
    else changes.push([setting.name, settingFrom(setting, text)])
  }
  return Object.fromEntries(changes)
}

/** Costs by country stay as they are. */
function costsOf({ costs }: ProviderValues, account: ProviderAnswer | null) {
  const countries = account?.costs?.countries ?? {}
  const asked = costs.default.trim() || null
  return asked === null && Object.keys(countries).length === 0 ? null : { default: asked, countries }
}

const besideSettings = (values: ProviderValues, account: ProviderAnswer | null) => ({
  name: values.name.trim() || null,
  countries: values.countries.length > 0 ? [...values.countries] : null,
  priority: givenNumber(values.priority),
  enabled: values.enabled,
  costs: costsOf(values, account),
})

/** The body of a new account. Whether it is a valid account of its kind is decided by the service. */
export const newAccount = (values: ProviderValues, account: ProviderAnswer | null = null) =>
  ({
    company_id: values.company_id,
    channel: kindsOfProvider[values.kind].channel,
    kind: values.kind,
    settings: changedSettings(values, null),
    ...besideSettings(values, account),
  }) as InputOf<'createProvider'>['body']

export const accountChange = (values: ProviderValues, account: ProviderAnswer) => ({
  settings: changedSettings(values, account),
  ...besideSettings(values, account),
})
