/** The fields that forms are made of. Each shows one value of a form, with its problem beside it. */
import type { ComponentProps, ReactNode } from 'react'
import type { FieldPathByValue, FieldPathValue, FieldValues } from 'react-hook-form'
import { AmountInput } from '#components/ui/amount-input.tsx'
import { Choice, type ChoiceOption } from '#components/ui/choice.tsx'
import { CountryChips } from '#components/ui/country-chips.tsx'
import { Field, FieldProblem } from '#components/ui/field.tsx'
import { Input, NumberInput, Select } from '#components/ui/input.tsx'
import { Switch } from '#components/ui/switch.tsx'
import { sayProblem } from '#lib/form/problems.ts'
import { useField } from '#lib/form/use-field.ts'
import type { Form } from '#lib/form/use-form.ts'

interface BoundProps<Values extends FieldValues, Value> {
  readonly form: Form<Values>
  readonly name: FieldPathByValue<Values, Value>
  readonly label: string
  readonly hint?: ReactNode
}

interface InputFieldProps<Values extends FieldValues, Value> extends BoundProps<Values, Value> {
  readonly isOptional?: boolean
  /** The class of the whole field with its label; the input has one of its own. */
  readonly fieldClassName?: string
}

type OwnInput<Element extends 'input' | 'select'> = Omit<
  ComponentProps<Element>,
  'form' | 'name' | 'value' | 'defaultValue' | 'onChange'
>

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')
const said = (label: string, problem: string | undefined) => problem && sayProblem(label, problem)

interface TextFieldProps<Values extends FieldValues>
  extends InputFieldProps<Values, string | undefined>,
    OwnInput<'input'> {
  /** Changes what is typed, for example to capitals. */
  readonly tidy?: (text: string) => string
}

export function TextField<Values extends FieldValues>(props: TextFieldProps<Values>) {
  const { form, name, label, hint, isOptional, fieldClassName, tidy = (text) => text, ...input } = props
  const field = useField(form, name)
  return (
    <Field {...{ label, hint, isOptional, className: fieldClassName, problem: said(label, field.problem) }}>
      {(control) => (
        <Input
          {...input}
          {...control}
          value={textOf(field.value)}
          onChange={({ target }) => field.onChange(tidy(target.value))}
        />
      )}
    </Field>
  )
}

interface SelectFieldProps<Values extends FieldValues>
  extends InputFieldProps<Values, string | undefined>,
    OwnInput<'select'> {}

/** The options are given as children. */
export function SelectField<Values extends FieldValues>(props: SelectFieldProps<Values>) {
  const { form, name, label, hint, isOptional, fieldClassName, ...select } = props
  const field = useField(form, name)
  return (
    <Field {...{ label, hint, isOptional, className: fieldClassName, problem: said(label, field.problem) }}>
      {(control) => (
        <Select
          {...select}
          {...control}
          value={textOf(field.value)}
          onChange={({ target }) => field.onChange(target.value)}
        />
      )}
    </Field>
  )
}

interface NumberFieldProps<Values extends FieldValues>
  extends InputFieldProps<Values, number | null>,
    OwnInput<'input'> {
  readonly unit?: string
  readonly isLabelHidden?: boolean
}

/** A whole number; null while nothing is typed. */
export function NumberField<Values extends FieldValues>(props: NumberFieldProps<Values>) {
  const { form, name, label, hint, isOptional, isLabelHidden, fieldClassName, ...input } = props
  const field = useField(form, name)
  const problem = said(label, field.problem)
  return (
    <Field {...{ label, hint, isOptional, isLabelHidden, className: fieldClassName, problem }}>
      {(control) => (
        <NumberInput {...input} {...control} value={numberOf(field.value)} onValue={field.onChange} />
      )}
    </Field>
  )
}

const numberOf = (value: unknown): number | null => (typeof value === 'number' ? value : null)

interface AmountFieldProps<Values extends FieldValues>
  extends InputFieldProps<Values, string | undefined>,
    OwnInput<'input'> {
  readonly currency?: string | null
}

/** Money as it is typed. */
export function AmountField<Values extends FieldValues>(props: AmountFieldProps<Values>) {
  const { form, name, label, hint, isOptional, fieldClassName, ...input } = props
  const field = useField(form, name)
  return (
    <Field {...{ label, hint, isOptional, className: fieldClassName, problem: said(label, field.problem) }}>
      {(control) => (
        <AmountInput {...input} {...control} value={textOf(field.value)} onValue={field.onChange} />
      )}
    </Field>
  )
}

interface ChoiceFieldProps<Values extends FieldValues, Name extends FieldPathByValue<Values, string>>
  extends Omit<BoundProps<Values, string>, 'name' | 'hint'> {
  readonly name: Name
  readonly options: readonly ChoiceOption<FieldPathValue<Values, Name> & string>[]
  readonly className?: string
}

export function ChoiceField<Values extends FieldValues, Name extends FieldPathByValue<Values, string>>(
  props: ChoiceFieldProps<Values, Name>,
) {
  const { form, name, label, options, className } = props
  const field = useField(form, name)
  return (
    <div className="flex flex-col gap-1">
      <Choice {...{ label, options, className }} value={field.value} onChange={field.onChange} />
      <FieldProblem text={said(label, field.problem)} />
    </div>
  )
}

interface SwitchFieldProps<Values extends FieldValues> extends BoundProps<Values, boolean> {
  readonly disabledReason?: string | undefined
}

export function SwitchField<Values extends FieldValues>(props: SwitchFieldProps<Values>) {
  const { form, name, label, hint, disabledReason } = props
  const field = useField(form, name)
  return (
    <div className="flex flex-col gap-1">
      <Switch
        {...{ label, hint, disabledReason }}
        isOn={field.value === true}
        onChange={(isOn) => field.onChange(isOn)}
      />
      <FieldProblem text={said(label, field.problem)} />
    </div>
  )
}

interface CountriesFieldProps<Values extends FieldValues> extends BoundProps<Values, readonly string[]> {
  /** What it means here that no country is chosen. */
  readonly whenNone: ReactNode
  readonly isFixed?: boolean
}

export function CountriesField<Values extends FieldValues>(props: CountriesFieldProps<Values>) {
  const { form, name, label, hint, whenNone, isFixed } = props
  const field = useField(form, name)
  const value: unknown = field.value
  return (
    <CountryChips
      {...{ label, hint, whenNone, isFixed }}
      value={Array.isArray(value) ? value : []}
      onChange={field.onChange}
      problem={said(label, field.problem)}
    />
  )
}
