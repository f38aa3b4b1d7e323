/** Turns an account into the values of its form, and back. */
import type { FieldProblem, ProviderAnswer } from '@countersign/contract'
import { createProviderBody } from '@countersign/contract/bodies'
import { kindsOfProvider, type Setting } from '#contract'
import type { InputOf } from '#lib/client.ts'
import { against, sayMissing, withLabels } from '#lib/form/problems.ts'
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
    const between = setting.type === 'table' ? ' ' : setting.name === 'headers' ? ': ' : ' '
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
function changedSettings(values: ProviderValues, account: ProviderAnswer | null): Record<string, unknown> {
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

const orderOf = (values: ProviderValues, account: ProviderAnswer | null) => ({
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
    ...orderOf(values, account),
  }) as InputOf<'createProvider'>['body']

export const accountChange = (values: ProviderValues, account: ProviderAnswer) => ({
  settings: changedSettings(values, account),
  ...orderOf(values, account),
})

/** Credentials that must be entered again, because they would be sent to another place; the service insists on it. */
export function credentialsToRepeat(
  values: ProviderValues,
  account: ProviderAnswer | null,
): readonly string[] {
  if (!account) return []
  const { settings, credentials } = account.destination
  const changed = changedSettings(values, account)
  return settings.some((name) => name in changed) ? credentials : []
}

/** Stands in for a stored credential, which nobody can read and which is not checked. */
const unseen = 'unseen'

/** The account as it would be after saving: only the whole can be checked. */
function wholeOf(values: ProviderValues, account: ProviderAnswer | null) {
  const kept = account
    ? { ...account.settings, ...Object.fromEntries(account.credentials_set.map((name) => [name, unseen])) }
    : {}
  const settings = Object.entries({ ...kept, ...changedSettings(values, account) })
  return {
    ...newAccount(values, account),
    settings: Object.fromEntries(settings.filter(([, value]) => value !== null)),
  }
}

const accountProblems = against(createProviderBody)

/** Problems that are found before anything is sent. */
export function problemsOf(values: ProviderValues, account: ProviderAnswer | null): readonly FieldProblem[] {
  const whole = wholeOf(values, account)
  const isUnseen = ({ path }: FieldProblem) =>
    Reflect.get(whole.settings, path.replace('settings.', '')) === unseen
  const isSetting = ({ path }: FieldProblem) => path.startsWith('settings.')
  const sayLines = (problem: FieldProblem) => {
    const setting = unreadSetting(values.kind, whole.settings, problem)
    return setting
      ? { ...problem, message: `needs two words per line, such as ${lastLineOf(setting)}` }
      : problem
  }
  const missing = credentialsToRepeat(values, account)
    .filter((name) => values.settings[name] === '')
    .map((name) => ({
      path: `settings.${name}`,
      message: 'must be entered again, because you changed where it is sent',
    }))
  const found = sayMissing(accountProblems(whole), whole).filter((problem) => !isUnseen(problem))
  return [
    ...missing,
    ...found.map((problem) => (isSetting(problem) ? ofSetting(sayLines(problem)) : problem)),
  ]
}

/** A setting with two words per line that is still a text, because one of its lines does not match. */
const unreadSetting = (kind: ProviderKind, given: object, { path }: FieldProblem) =>
  kindsOfProvider[kind].settings.find(
    ({ name, type }) =>
      path === `settings.${name}` &&
      (type === 'pairs' || type === 'table') &&
      typeof Reflect.get(given, name) === 'string',
  )

const lastLineOf = ({ placeholder }: Setting) => placeholder?.split('\n').at(-1)

/** A row of a table or a line of a list has no field of its own: its problem is shown at the setting and names it. */
function ofSetting({ path, message }: FieldProblem): FieldProblem {
  const [settings = '', name = '', ...row] = path.split('.')
  return row.length === 0
    ? { path, message }
    : { path: `${settings}.${name}`, message: `has a problem at ${row.join('.')}: ${message}` }
}

/**
 * The service calls settings by their names in the API; the form has labels. That a host cannot or must not be reached
 * is reported for the settings as a whole, and shown at the host.
 */
export function rewordAccount(kind: ProviderKind, problem: FieldProblem): FieldProblem {
  const { path, message } = problem.path.startsWith('settings.') ? ofSetting(problem) : problem
  const { settings } = kindsOfProvider[kind]
  const host = settings.find(({ name }) => name === 'host' || name === 'base_url')
  return {
    path: path === 'settings' && host ? `settings.${host.name}` : path,
    message: withLabels(message, (named) => settings.find(({ name }) => name === named)?.label),
  }
}

/** If the gateway has a preset, its name is shown: Vonage, not just an HTTP gateway. */
export function kindLabel({ kind, settings }: Pick<ProviderAnswer, 'kind' | 'settings'>): string {
  const { label, presets } = kindsOfProvider[kind]
  return (typeof settings.preset === 'string' && presets[settings.preset]?.label) || label
}

export const accountName = (account: ProviderAnswer): string => account.name ?? kindLabel(account)

const senderNames = ['source_addr', 'from', 'messaging_service_sid', 'number', 'sender_username'] as const

/** What people recognise an account by: its sender, or its host. */
export function senderOf({ settings }: ProviderAnswer): string | null {
  const found = [...senderNames, 'host', 'base_url'].map((name) => settings[name]).find((value) => value)
  return typeof found === 'string' ? found : null
}
