/** An account as a form has it, and back again. */
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
  /** Of one message, as typed; by country only over the API. */
  readonly costs: { readonly default: string }
  /** As typed. Of a credential: empty leaves it as it is, null takes it away. */
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

/** What is asked for, and what is folded away, each by the name that it has at that gateway. */
export function fieldsOf({ kind, settings }: Pick<ProviderValues, 'kind' | 'settings'>): readonly Setting[] {
  const { presets, settings: all } = kindsOfProvider[kind]
  // Which gateway it is was chosen with the kind.
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

/** A table's text may have spaces, and its word comes last; of a pair the name comes first and has none. */
const rowPatterns = { table: /^(.*\S)\s+(\S+)$/, pairs: /^([^\s:=]+)\s*[\s:=]\s*(\S.*)$/ } as const

function settingFrom({ type }: Setting, text: string): unknown {
  if (type === 'number') return Number(text)
  if (type === 'flag') return text === 'true'
  if (type === 'list') return linesOf(text)
  if (type !== 'table' && type !== 'pairs') return text
  const rows = linesOf(text).map((line) => rowPatterns[type].exec(line))
  // Lines that are no pairs stay a text, which the contract refuses.
  return rows.every((row) => row !== null)
    ? Object.fromEntries(rows.map(([, name, word]) => [name, word]))
    : text
}

/** Only what was changed: a credential that is not named stays. */
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

/** What is said by country stays. */
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

/** Whether what was typed makes an account of the kind is for the service to say. */
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

/** What was given for one place is asked for again before it goes to another; the service would refuse it. */
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

/** The account as it would be: only the whole can be judged. */
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

/** Problems that are found before the service is asked. */
export function problemsOf(values: ProviderValues, account: ProviderAnswer | null): readonly FieldProblem[] {
  const whole = wholeOf(values, account)
  const isUnseen = ({ path }: FieldProblem) =>
    Reflect.get(whole.settings, path.replace('settings.', '')) === unseen
  const isSetting = ({ path }: FieldProblem) => path.startsWith('settings.')
  const missing = credentialsToRepeat(values, account)
    .filter((name) => values.settings[name] === '')
    .map((name) => ({
      path: `settings.${name}`,
      message: 'must be entered again, because where it goes changes',
    }))
  const found = sayMissing(accountProblems(whole), whole).filter((problem) => !isUnseen(problem))
  return [...missing, ...found.map((problem) => (isSetting(problem) ? ofSetting(problem) : problem))]
}

/** A row of a table or a line of a list has no field of its own: the problem is its setting's, and names the row. */
function ofSetting({ path, message }: FieldProblem): FieldProblem {
  const [settings = '', name = '', ...row] = path.split('.')
  return row.length === 0
    ? { path, message }
    : { path: `${settings}.${name}`, message: `has a problem at ${row.join('.')}: ${message}` }
}

/**
 * The service speaks of settings by their names in the API; here they have labels. Where it cannot or may not reach
 * the host, it says so of the settings as a whole.
 */
export function rewordAccount(kind: ProviderKind, problem: FieldProblem): FieldProblem {
  const { path, message } = problem.path.startsWith('settings.') ? ofSetting(problem) : problem
  const { settings } = kindsOfProvider[kind]
  const host = settings.find(({ name }) => name === 'host' || name === 'base_url')
  const setting = settings.find(({ name }) => path === `settings.${name}`)
  const isByLine = setting?.type === 'pairs' || setting?.type === 'table'
  return {
    path: path === 'settings' && host ? `settings.${host.name}` : path,
    message:
      isByLine && message === 'must be of type object'
        ? `needs two words per line, such as ${setting.placeholder?.split('\n').at(-1)}`
        : withLabels(message, (named) => settings.find(({ name }) => name === named)?.label),
  }
}

/** Where the gateway is a known one, its name is shown: Vonage, not just an HTTP gateway. */
export function kindLabel({ kind, settings }: Pick<ProviderAnswer, 'kind' | 'settings'>): string {
  const { label, presets } = kindsOfProvider[kind]
  return (typeof settings.preset === 'string' && presets[settings.preset]?.label) || label
}

export const accountName = (account: ProviderAnswer): string => account.name ?? kindLabel(account)

const senderNames = ['source_addr', 'from', 'messaging_service_sid', 'number', 'sender_username'] as const

/** By what people recognise an account: its sender, or where it is. */
export function senderOf({ settings }: ProviderAnswer): string | null {
  const found = [...senderNames, 'host', 'base_url'].map((name) => settings[name]).find((value) => value)
  return typeof found === 'string' ? found : null
}
