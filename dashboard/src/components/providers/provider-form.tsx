import type { ProviderAnswer } from '@countersign/contract'
import { CountryChips } from '#components/ui/country-chips.tsx'
import { DialogActions } from '#components/ui/dialog.tsx'
import { Field } from '#components/ui/field.tsx'
import { Input, NumberInput, Select } from '#components/ui/input.tsx'
import { FormProblem } from '#components/ui/problem.tsx'
import { Switch } from '#components/ui/switch.tsx'
import { ApiError, asSentence } from '#lib/api-error.ts'
import { channelLabels } from '#lib/format.ts'
import { useChange } from '#lib/use-change.ts'
import { type Form, useForm } from '#lib/use-form.ts'
import { kindsOfProvider, providerKinds, type Setting } from './kinds.ts'
import { OwnerField } from './owner-field.tsx'
import { SettingField } from './setting-field.tsx'
import {
  accountChange,
  accountName,
  emptyValues,
  newAccount,
  type ProviderValues,
  valueProblems,
  valuesOf,
} from './values.ts'

interface ProviderFormProps {
  readonly account: ProviderAnswer | null
  /** Of a new account. */
  readonly companyId: string | null
  readonly mayChooseOwner: boolean
  readonly onDone: (account: ProviderAnswer) => void
  readonly onCancel: () => void
}

export function ProviderForm({ account, companyId, mayChooseOwner, onDone, onCancel }: ProviderFormProps) {
  const says = (saved: ProviderAnswer) => `${accountName(saved)} is saved and in force.`
  const refreshes = ['listProviders'] as const
  const create = useChange('createProvider', { says, refreshes, problems: 'form' })
  const update = useChange('updateProvider', { says, refreshes, problems: 'form' })
  const form = useForm({
    initial: account ? valuesOf(account) : emptyValues('smpp', companyId),
    check: (values) => valueProblems(values, account),
    submit: async (values) =>
      onDone(
        account
          ? await update.mutateAsync({
              params: { provider_id: account.provider_id },
              body: accountChange(values, account),
            })
          : await create.mutateAsync({ body: newAccount(values) }),
      ),
  })
  const { channel } = kindsOfProvider[form.values.kind]
  return (
    <form onSubmit={form.onSubmit} noValidate className="flex flex-col gap-4">
      {!account && <KindField form={form} />}
      {!account && mayChooseOwner && (
        <OwnerField companyId={form.values.company_id} onChange={(id) => form.set('company_id', id)} />
      )}
      <Field
        label="Name"
        hint="For you, so that you know it again."
        isOptional
        problem={form.problem('name')}
      >
        {(control) => (
          <Input
            {...control}
            value={form.values.name}
            placeholder="Carrier A"
            onChange={(event) => form.set('name', event.target.value)}
          />
        )}
      </Field>
      <SettingFields form={form} account={account} />
      {channel !== 'email' && (
        <CountryChips
          label="Countries"
          whenNone="Every country."
          value={form.values.countries}
          onChange={(countries) => form.set('countries', countries)}
          problem={form.problem('countries')}
        />
      )}
      <Field label="Priority" hint="Lower comes first." problem={form.problem('priority')}>
        {(control) => (
          <NumberInput
            {...control}
            value={form.values.priority}
            onValue={(priority) => form.set('priority', priority)}
          />
        )}
      </Field>
      <Switch
        label="Carries messages"
        hint="Off, the account rests and keeps its settings."
        isOn={form.values.enabled}
        onChange={(isOn) => form.set('enabled', isOn)}
      />
      <FormProblem error={form.error} fields={['settings', 'name', 'countries', 'priority']} />
      <DialogActions
        submit={account ? 'Save' : 'Add the account'}
        isSending={form.isSending}
        onCancel={onCancel}
      />
    </form>
  )
}

const KindField = ({ form }: { readonly form: Form<ProviderValues> }) => (
  <Field label="Provider">
    {(control) => (
      <Select
        {...control}
        value={form.values.kind}
        onChange={({ target }) => {
          const kind = providerKinds.find((one) => one === target.value)
          if (kind) form.reset({ ...emptyValues(kind, form.values.company_id), name: form.values.name })
        }}
      >
        {providerKinds.map((kind) => (
          <option key={kind} value={kind}>
            {kindsOfProvider[kind].label} · {channelLabels[kindsOfProvider[kind].channel]}
          </option>
        ))}
      </Select>
    )}
  </Field>
)

interface SettingFieldsProps {
  readonly form: Form<ProviderValues>
  readonly account: ProviderAnswer | null
}

function SettingFields({ form, account }: SettingFieldsProps) {
  const { settings } = kindsOfProvider[form.values.kind]
  const rare = settings.filter(({ isRare }) => isRare)
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

/** The service speaks of settings by their names in the API; here they have labels. Only names that are no
 *  words of a sentence, or begin one, are taken for names. */
const inLabels = (problem: string | undefined, settings: readonly Setting[]): string | undefined =>
  settings.reduce(
    (text, { name, label }) =>
      text?.replace(new RegExp(name.includes('_') ? `\\b${name}\\b` : `^${name}\\b`, 'gi'), label),
    problem,
  )
