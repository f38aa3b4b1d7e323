import type { ProviderAnswer } from '@countersign/contract'
import { kindsOfProvider, type Setting } from '#contract'
import { ApiError, asSentence } from '#lib/api-error.ts'
import type { Form } from '#lib/use-form.ts'
import { SettingField } from './setting-field.tsx'
import { credentialsToRepeat, type ProviderValues } from './values.ts'

interface SettingFieldsProps {
  readonly form: Form<ProviderValues>
  readonly account: ProviderAnswer | null
}

/** What the kind asks for; what hardly anybody needs is folded away. */
export function SettingFields({ form, account }: SettingFieldsProps) {
  const { settings } = kindsOfProvider[form.values.kind]
  const rare = settings.filter(({ isRare }) => isRare)
  const repeated = credentialsToRepeat(form.values, account)
  const problemOf = ({ name }: Setting) =>
    inLabels(form.problem(`settings.${name}`) ?? hostProblem(form.error, name), settings)
  const isAboutRare = rare.some((setting) => problemOf(setting) !== undefined)
  const draw = (setting: Setting) => (
    <SettingField
      key={`${form.values.kind} ${setting.name}`}
      setting={setting}
      value={form.values[`settings.${setting.name}`] ?? null}
      onChange={(value) => form.set(`settings.${setting.name}`, value)}
      problem={problemOf(setting)}
      isSet={account?.credentials_set.includes(setting.name) ?? false}
      isToRepeat={repeated.includes(setting.name)}
    />
  )
  const grid = 'grid items-start gap-x-4 gap-y-3 sm:grid-cols-2'
  return (
    <>
      <div className={grid}>{settings.filter(({ isRare }) => !isRare).map(draw)}</div>
      {rare.length > 0 && (
        <details {...(isAboutRare ? { open: true } : {})}>
          <summary className="text-sm font-medium text-muted hover:text-ink">More settings</summary>
          <div className={`${grid} mt-3`}>{rare.map(draw)}</div>
        </details>
      )}
    </>
  )
}

/** Where the service cannot or may not reach the host, it says so of the settings as a whole. */
function hostProblem(error: unknown, name: string): string | undefined {
  if (!(error instanceof ApiError) || (name !== 'host' && name !== 'base_url')) return undefined
  const found = error.fields.find(({ path }) => path === 'settings')
  return found && asSentence(found.message)
}

/**
 * The service speaks of settings by their names in the API; here they have labels. Only names that are no words
 * of a sentence, or begin one, are taken for names.
 */
const inLabels = (problem: string | undefined, settings: readonly Setting[]): string | undefined =>
  settings.reduce(
    (text, { name, label }) =>
      text?.replace(new RegExp(name.includes('_') ? `\\b${name}\\b` : `^${name}\\b`, 'gi'), label),
    problem,
  )
