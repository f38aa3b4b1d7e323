/** An account as a form has it, and back again. */
import type { FieldProblem, ProviderAnswer } from '@countersign/contract'
import { createProviderBody } from '@countersign/contract/bodies'
import { kindsOfProvider, type Setting } from '#contract'
import type { InputOf } from '#lib/client.ts'
import { against, sayMissing } from '#lib/form/problems.ts'
import { givenNumber } from '#lib/form/typed.ts'

type ProviderKind = ProviderAnswer['kind']

export interface ProviderValues {
  readonly company_id: string | null
  readonly kind: ProviderKind
  readonly name: string
  readonly countries: readonly string[]
  readonly priority: number | null
  readonly enabled: boolean
  /** As typed. Of a credential: empty leaves it as it is, null takes it away. */
  readonly settings: Readonly<Record<string, string | null>>
}

const standardPriority = 100

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
      setting.name,
      setting.isCredential ? '' : textOf(setting, settings[setting.name]),
    ]),
  )

export const emptyValues = (kind: ProviderKind, companyId: string | null): ProviderValues => ({
  settings: settingsAsText(kind, {}),
  company_id: companyId,
  kind,
  name: '',
  countries: [],
  priority: standardPriority,
  enabled: true,
})

export const valuesOf = (account: ProviderAnswer): ProviderValues => ({
  settings: settingsAsText(account.kind, account.settings),
  company_id: account.company_id,
  kind: account.kind,
  name: account.name ?? '',
  countries: account.countries ?? [],
  priority: account.priority,
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
  // Lines that are no pairs stay a text, which the contract refuses.
  const lines = type === 'languages' ? languageLines(text) : []
  if (lines.length > 0 && lines.every((words) => words.length === 2)) return Object.fromEntries(lines)
  return text
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

const orderOf = (values: ProviderValues) => ({
  name: values.name.trim() || null,
  countries: values.countries.length > 0 ? [...values.countries] : null,
  priority: givenNumber(values.priority),
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
    ...newAccount(values),
    settings: Object.fromEntries(settings.filter(([, value]) => value !== null)),
  }
}

const accountProblems = against(createProviderBody)

/** Problems that are found before the service is asked. */
export function problemsOf(values: ProviderValues, account: ProviderAnswer | null): readonly FieldProblem[] {
  const whole = wholeOf(values, account)
  const isUnseen = ({ path }: FieldProblem) =>
    Reflect.get(whole.settings, path.replace('settings.', '')) === unseen
  const missing = credentialsToRepeat(values, account)
    .filter((name) => values.settings[name] === '')
    .map((name) => ({
      path: `settings.${name}`,
      message: 'must be entered again, because where it goes changes',
    }))
  return [...missing, ...sayMissing(accountProblems(whole), whole).filter((problem) => !isUnseen(problem))]
}

/**
 * The service speaks of settings by their names in the API; here they have labels. Only names that are no words
 * of a sentence, or begin one, are taken for names. Where it cannot or may not reach the host, it says so of the
 * settings as a whole.
 */
export function rewordAccount(kind: ProviderKind, { path, message }: FieldProblem): FieldProblem {
  const { settings } = kindsOfProvider[kind]
  const host = settings.find(({ name }) => name === 'host' || name === 'base_url')
  const setting = settings.find(({ name }) => path === `settings.${name}`)
  return {
    path: path === 'settings' && host ? `settings.${host.name}` : path,
    message:
      setting?.type === 'languages' && message === 'must be of type object'
        ? 'needs one locale and one code per line, such as pt-BR pt_BR'
        : settings.reduce(
            (text, { name, label }) =>
              text.replace(new RegExp(name.includes('_') ? `\\b${name}\\b` : `^${name}\\b`, 'gi'), label),
            message,
          ),
  }
}

export const accountName = ({ name, kind }: ProviderAnswer): string => name ?? kindsOfProvider[kind].label

const senderNames = ['source_addr', 'from', 'messaging_service_sid', 'number', 'sender_username'] as const

/** By what people recognise an account: its sender, or where it is. */
export function senderOf({ settings }: ProviderAnswer): string | null {
  const found = [...senderNames, 'host'].map((name) => settings[name]).find((value) => value)
  return typeof found === 'string' ? found : null
}
