import type { AlertRuleName } from '@countersign/contract'
import { NumberField, SwitchField } from '#components/form/fields.tsx'
import type { Form } from '#lib/form/use-form.ts'
import { type AlertValues, ruleWords } from '../lib/values.ts'

interface RuleFieldsProps {
  readonly form: Form<AlertValues>
  readonly isOperators: boolean
}

/** The rules, in the order of `ruleWords`. */
const names = Object.keys(ruleWords) as readonly AlertRuleName[]

export const RuleFields = ({ form, isOperators }: RuleFieldsProps) => (
  <div className="flex flex-col">
    {names
      .filter((name) => ruleWords[name].notFor !== (isOperators ? 'operator' : 'company'))
      .map((name) => (
        <Rule key={name} form={form} name={name} />
      ))}
  </div>
)

interface RuleProps extends Pick<RuleFieldsProps, 'form'> {
  readonly name: AlertRuleName
}

function Rule({ form, name }: RuleProps) {
  const { label, text, unit = 'minutes or longer' } = ruleWords[name]
  return (
    <fieldset className="grid items-center gap-x-4 gap-y-2 border-b py-2.5 last:border-b-0 lg:grid-cols-[minmax(0,1fr)_14rem_11.5rem_11.5rem]">
      <legend className="sr-only">{label}</legend>
      <SwitchField form={form} name={`rules.${name}.enabled`} label={label} hint={text} />
      {form.values.rules[name].enabled && (
        <>
          <NumberField
            form={form}
            name={`rules.${name}.threshold`}
            label={`${label}: ${unit}`}
            unit={unit}
            isLabelHidden
            fieldClassName="max-lg:pl-10"
          />
          <div className="max-lg:pl-10">
            <SwitchField form={form} name={`rules.${name}.quiet_hours`} label="Wait during quiet hours" />
          </div>
          <div className="max-lg:pl-10">
            <SwitchField form={form} name={`rules.${name}.recovery`} label="Also alert when it is over" />
          </div>
        </>
      )}
    </fieldset>
  )
}
