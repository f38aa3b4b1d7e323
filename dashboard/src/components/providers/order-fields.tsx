import { AmountField, CountriesField, NumberField, SwitchField, TextField } from '#components/form/fields.tsx'
import { Field } from '#components/ui/field.tsx'
import { Select } from '#components/ui/input.tsx'
import { kindsOfProvider, providerKinds } from '#contract'
import type { Form } from '#lib/form/use-form.ts'
import { channelLabels } from '#lib/format.ts'
import { emptyValues, type ProviderValues } from './values.ts'

interface OrderFieldsProps {
  readonly form: Form<ProviderValues>
  readonly isFixed: boolean
}

/** Fields of every account, such as its name and its place in the order. */
export const OrderFields = ({ form, isFixed }: OrderFieldsProps) => (
  <>
    {/* An email has no country. */}
    {kindsOfProvider[form.values.kind].channel !== 'email' && (
      <CountriesField
        form={form}
        name="countries"
        label="Countries"
        whenNone="All countries."
        isFixed={isFixed}
      />
    )}
    <div className="grid items-start gap-x-4 gap-y-3 sm:grid-cols-2">
      <TextField
        form={form}
        name="name"
        label="Name"
        hint="Shown in the dashboard and in alerts."
        isOptional
        placeholder="Carrier A"
      />
      <NumberField form={form} name="priority" label="Priority" hint="Lower numbers come first." />
      <AmountField
        form={form}
        name="costs.default"
        label="Price of a message"
        hint="What the provider charges. If it is empty, the price book applies."
        isOptional
      />
    </div>
    <SwitchField
      form={form}
      name="enabled"
      label="Enabled"
      hint="When off, the account is not used and keeps its settings."
    />
  </>
)

/** Every kind of provider, and every gateway that has a preset. */
const choices = providerKinds.flatMap((kind) => {
  const { label, channel, presets } = kindsOfProvider[kind]
  const known = Object.entries(presets).map(([preset, one]) => ({ kind, preset, label: one.label, channel }))
  return [...known, { kind, preset: null, label, channel }]
})
const nameOf = ({ kind, preset }: { readonly kind: string; readonly preset: string | null }) =>
  preset ? `${kind} ${preset}` : kind

export const KindField = ({ form }: { readonly form: Form<ProviderValues> }) => (
  <Field label="Provider">
    {(control) => (
      <Select
        {...control}
        value={nameOf({ kind: form.values.kind, preset: form.values.settings.preset ?? null })}
        onChange={({ target }) => {
          const choice = choices.find((one) => nameOf(one) === target.value)
          if (!choice) return
          const { kind, preset } = choice
          form.reset({ ...emptyValues(kind, form.values.company_id, preset), name: form.values.name })
        }}
      >
        {choices.map((choice) => (
          <option key={nameOf(choice)} value={nameOf(choice)}>
            {choice.label} · {channelLabels[choice.channel]}
          </option>
        ))}
      </Select>
    )}
  </Field>
)
