/** What is wrong with an account before it is sent, and where the form shows what the service says of it. */
import type { FieldProblem, ProviderAnswer } from '@countersign/contract'
import { createProviderBody } from '@countersign/contract/bodies'
import { kindsOfProvider, type Setting } from '#contract'
import { against, sayMissing, withLabels } from '#lib/form/problems.ts'
import { changedSettings, newAccount, type ProviderValues } from './values.ts'

type ProviderKind = ProviderAnswer['kind']

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
