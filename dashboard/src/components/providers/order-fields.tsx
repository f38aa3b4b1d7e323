import { CountryChips } from '#components/ui/country-chips.tsx'
import { Field } from '#components/ui/field.tsx'
import { Input, NumberInput, Select } from '#components/ui/input.tsx'
import { Switch } from '#components/ui/switch.tsx'
import { kindsOfProvider, providerKinds } from '#contract'
import { channelLabels } from '#lib/format.ts'
import type { Form } from '#lib/use-form.ts'
import { emptyValues, type ProviderValues } from './values.ts'

interface OrderFieldsProps {
  readonly form: Form<ProviderValues>
  readonly isFixed: boolean
}

/** What every account has: a name, and its place in the line. */
export const OrderFields = ({ form, isFixed }: OrderFieldsProps) => (
  <>
    {/* An email has no country. */}
    {kindsOfProvider[form.values.kind].channel !== 'email' && (
      <CountryChips
        label="Countries"
        whenNone="Every country."
        value={form.values.countries}
        onChange={(countries) => form.set('countries', countries)}
        problem={form.problem('countries')}
        isFixed={isFixed}
      />
    )}
    <div className="grid items-start gap-x-4 gap-y-3 sm:grid-cols-2">
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
      <Field label="Priority" hint="Lower comes first." problem={form.problem('priority')}>
        {(control) => (
          <NumberInput
            {...control}
            value={form.values.priority}
            onValue={(priority) => form.set('priority', priority)}
          />
        )}
      </Field>
    </div>
    <Switch
      label="Carries messages"
      hint="Off, the account rests and keeps its settings."
      isOn={form.values.enabled}
      onChange={(isOn) => form.set('enabled', isOn)}
    />
  </>
)

export const KindField = ({ form }: { readonly form: Form<ProviderValues> }) => (
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
