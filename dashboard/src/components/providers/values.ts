/** An account as a form has it, and back again. */
import type { ProviderAnswer } from '@countersign/contract'
import { kindsOfProvider, providerBounds, type Setting } from '#contract'
import type { InputOf } from '#lib/client.ts'

type ProviderKind = ProviderAnswer['kind']

export interface ProviderValues {
  readonly company_id: string | null
  readonly kind: ProviderKind
  readonly name: string
  readonly countries: readonly string[]
  readonly priority: string
  readonly enabled: boolean
  /** As typed. Of a credential: empty leaves it as it is, null takes it away. */
  readonly [setting: `settings.${string}`]: string | null
}

const standardPriority = '100'

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null

function textOf(setting: Setting, value: unknown): string {
  if (value === undefined || value === null) return ''
  if (setting.type === 'languages' && isObject(value)) {
    return Object.entries(value)
      .map(([locale, code]) => `${locale} ${code}`)
      .join('\n')
  }
  return String(value)
}

const settingsAsText = (kind: ProviderKind, settings: Readonly<Record<string, unknown>>) =>
  Object.fromEntries(
    kindsOfProvider[kind].settings.map((setting) => [
      `settings.${setting.name}`,
      setting.isCredential ? '' : textOf(setting, settings[setting.name]),
    ]),
  )

export const emptyValues = (kind: ProviderKind, companyId: string | null): ProviderValues => ({
  ...settingsAsText(kind, {}),
  company_id: companyId,
  kind,
  name: '',
  countries: [],
  priority: standardPriority,
  enabled: true,
})

export const valuesOf = (account: ProviderAnswer): ProviderValues => ({
  ...settingsAsText(account.kind, account.settings),
  company_id: account.company_id,
  kind: account.kind,
  name: account.name ?? '',
  countries: account.countries ?? [],
  priority: String(account.priority),
  enabled: account.enabled,
})

const languageLines = (text: string) =>
  text
    .split('\n')
    .map((line) => line.trim().split(/[\s:=]+/))
    .filter((words) => words[0] !== '')

function settingFrom({ type }: Setting, text: string): unknown {
  if (type === 'number') return Number(text)
  if (type === 'flag') return text === 'true'
  if (type === 'languages') return Object.fromEntries(languageLines(text))
  return text
}

/** Only what was changed: a credential that is not named stays. */
function changedSettings(values: ProviderValues, account: ProviderAnswer | null): Record<string, unknown> {
  const changes: [string, unknown][] = []
  for (const setting of kindsOfProvider[values.kind].settings) {
    const typed = values[`settings.${setting.name}`] ?? null
    const text = typed?.trim() ?? ''
    const before = setting.isCredential ? '' : textOf(setting, account?.settings[setting.name])
    if (setting.isCredential && typed === null) changes.push([setting.name, null])
    else if (text === before) continue
    else if (text === '') changes.push([setting.name, null])
    else changes.push([setting.name, settingFrom(setting, text)])
  }
  return Object.fromEntries(changes)
}

const orderOf = (values: ProviderValues) => ({
  name: values.name.trim() || null,
  countries: values.countries.length > 0 ? [...values.countries] : null,
  priority: Number(values.priority),
  enabled: values.enabled,
})

/** Whether what was typed makes an account of the kind is for the service to say. */
export const newAccount = (values: ProviderValues) =>
  ({
    company_id: values.company_id,
    channel: kindsOfProvider[values.kind].channel,
    kind: values.kind,
    settings: changedSettings(values, null),
    ...orderOf(values),
  }) as InputOf<'createProvider'>['body']

export const accountChange = (values: ProviderValues, account: ProviderAnswer) => ({
  settings: changedSettings(values, account),
  ...orderOf(values),
})

function settingProblem(setting: Setting, value: string | null, isSet: boolean): string | undefined {
  const text = value?.trim() ?? ''
  if (text === '') return setting.isRequired && !isSet ? `${setting.label} is required` : undefined
  const [min, max] = setting.bounds ?? [0, Number.MAX_SAFE_INTEGER]
  if (setting.type === 'number' && (Number(text) < min || Number(text) > max)) {
    return `Enter a number from ${min} to ${max}`
  }
  if (setting.type === 'languages' && languageLines(text).some((words) => words.length !== 2)) {
    return 'Write one locale and one code per line, such as pt-BR pt_BR'
  }
  return undefined
}

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

function repeatProblem(setting: Setting, value: string | null): string | undefined {
  return value === '' ? `${setting.label} is to be given again: where it goes changes` : undefined
}

/** Twilio sends as a number or through a messaging service. */
function eitherProblem(values: ProviderValues): Record<string, string> {
  const { either, settings } = kindsOfProvider[values.kind]
  const [one, other] = settings.filter(({ name }) => either?.includes(name))
  const isGiven = ({ name }: Setting) => Boolean(values[`settings.${name}`]?.trim())
  if (!one || !other || isGiven(one) !== isGiven(other)) return {}
  return { [`settings.${one.name}`]: `Give ${one.label} or ${other.label}, one of the two` }
}

type Problems = Readonly<Partial<Record<keyof ProviderValues & string, string | undefined>>>

/** What can be said before asking. */
export function valueProblems(values: ProviderValues, account: ProviderAnswer | null): Problems {
  const repeated = credentialsToRepeat(values, account)
  const problemOf = (setting: Setting) => {
    const value = values[`settings.${setting.name}`] ?? null
    const isSet = Boolean(setting.isCredential && account?.credentials_set.includes(setting.name))
    const isMissing = repeated.includes(setting.name) && repeatProblem(setting, value)
    return isMissing || settingProblem(setting, value, isSet)
  }
  const problems: Record<string, string | undefined> = Object.fromEntries(
    kindsOfProvider[values.kind].settings.map((setting) => [`settings.${setting.name}`, problemOf(setting)]),
  )
  const priority = Number(values.priority)
  const { min, max } = providerBounds.priority
  return {
    ...problems,
    ...eitherProblem(values),
    name:
      values.name.trim().length > providerBounds.nameLength
        ? `Use at most ${providerBounds.nameLength} characters`
        : undefined,
    priority:
      values.priority === '' || priority < min || priority > max
        ? `Enter a number from ${min} to ${max}`
        : undefined,
  }
}

export const accountName = ({ name, kind }: ProviderAnswer): string => name ?? kindsOfProvider[kind].label

const senderNames = ['source_addr', 'from', 'messaging_service_sid', 'number', 'sender_username'] as const

/** By what people recognise an account: its sender, or where it is. */
export function senderOf({ settings }: ProviderAnswer): string | null {
  const found = [...senderNames, 'host'].map((name) => settings[name]).find((value) => value)
  return typeof found === 'string' ? found : null
}
