import type { RuleConditionName } from '@countersign/contract'
import X from 'lucide-react/icons/x'
import type { ReactNode } from 'react'
import { AmountField, CountriesField, NumberField, SelectField } from '#components/form/fields.tsx'
import { IconButton } from '#components/ui/button.tsx'
import type { Form } from '#lib/form/use-form.ts'
import { channelLabels } from '#lib/format.ts'
import { useCurrency } from '#lib/money.ts'
import type { RuleValues } from '../lib/rule-values.ts'
import { conditionLabels, ipClassLabels, keyKindLabels, recipientTypeLabels } from '../lib/rule-words.ts'
import { LinesField } from './rule-lines-field.tsx'
import { SetField } from './rule-set-field.tsx'
import { WindowField } from './rule-window-field.tsx'

interface ConditionProps {
  readonly form: Form<RuleValues>
  readonly name: RuleConditionName
  readonly onRemove: () => void
}

/** One condition, with a button that removes it. */
export const Condition = ({ form, name, onRemove }: ConditionProps) => (
  <li className="flex items-start gap-2 rounded-md border px-3 py-2.5">
    <div className="min-w-0 flex-1">{fields[name](form)}</div>
    <IconButton size="sm" label={`Remove: ${conditionLabels[name]}`} onClick={onRemove}>
      <X aria-hidden="true" />
    </IconButton>
  </li>
)

const fields: Readonly<Record<RuleConditionName, (form: Form<RuleValues>) => ReactNode>> = {
  country: (form) => (
    <CountriesField form={form} name="when.country" label={conditionLabels.country} whenNone="None yet." />
  ),
  channel: (form) => (
    <SetField form={form} name="when.channel" label={conditionLabels.channel} options={channelLabels} />
  ),
  recipient_type: (form) => (
    <SetField
      form={form}
      name="when.recipient_type"
      label={conditionLabels.recipient_type}
      options={recipientTypeLabels}
    />
  ),
  ip_class: (form) => (
    <SetField form={form} name="when.ip_class" label={conditionLabels.ip_class} options={ipClassLabels} />
  ),
  ip_country: (form) => (
    <CountriesField
      form={form}
      name="when.ip_country"
      label={conditionLabels.ip_country}
      hint="Known only if the operator’s IP lists include a country database."
      whenNone="None yet."
    />
  ),
  key_kind: (form) => (
    <SetField form={form} name="when.key_kind" label={conditionLabels.key_kind} options={keyKindLabels} />
  ),
  known: (form) => (
    <SelectField form={form} name="when.known" label={conditionLabels.known} fieldClassName="max-w-72">
      <option value="false">never approved in this app</option>
      <option value="true">approved in this app before</option>
    </SelectField>
  ),
  email_domain: (form) => (
    <LinesField
      form={form}
      name="when.email_domain"
      label={conditionLabels.email_domain}
      hint="One per line, such as example.com. Subdomains count too."
    />
  ),
  prefix: (form) => (
    <LinesField
      form={form}
      name="when.prefix"
      label={conditionLabels.prefix}
      hint="One per line, such as +3361."
    />
  ),
  sends_of_recipient: (form) => <CountFields form={form} name="sends_of_recipient" />,
  sends_of_address: (form) => <CountFields form={form} name="sends_of_address" />,
  sends_of_app: (form) => <CountFields form={form} name="sends_of_app" />,
  price: (form) => <PriceFields form={form} />,
  hour: (form) => (
    <Range title={`${conditionLabels.hour} (UTC). If From is later than To, the range spans midnight.`}>
      <NumberField form={form} name="when.hour.gte" label="From" unit="h" />
      <NumberField form={form} name="when.hour.lte" label="To" unit="h" />
    </Range>
  ),
}

interface RangeProps {
  readonly title: string
  readonly children: ReactNode
}

const Range = ({ title, children }: RangeProps) => (
  <fieldset>
    <legend className="mb-1.5 text-sm font-medium">{title}</legend>
    <div className="flex flex-wrap gap-x-4 gap-y-2">{children}</div>
  </fieldset>
)

interface CountFieldsProps {
  readonly form: Form<RuleValues>
  readonly name: 'sends_of_recipient' | 'sends_of_address' | 'sends_of_app'
}

const CountFields = ({ form, name }: CountFieldsProps) => (
  <Range title={conditionLabels[name]}>
    <NumberField form={form} name={`when.${name}.gte`} label="At least" isOptional />
    <NumberField form={form} name={`when.${name}.lte`} label="At most" isOptional />
    <WindowField
      form={form}
      name={`when.${name}.window_s`}
      value={form.values.when[name].window_s}
      label="In the last"
    />
  </Range>
)

function PriceFields({ form }: { readonly form: Form<RuleValues> }) {
  const currency = useCurrency()
  return (
    <Range title={conditionLabels.price}>
      <AmountField form={form} name="when.price.gte" label="At least" currency={currency} isOptional />
      <AmountField form={form} name="when.price.lte" label="At most" currency={currency} isOptional />
    </Range>
  )
}
