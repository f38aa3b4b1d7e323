import type { FieldPathByValue, FieldValues } from 'react-hook-form'
import { SelectField } from '#components/form/fields.tsx'
import type { Form } from '#lib/form/use-form.ts'
import { formatSeconds } from '#lib/format.ts'

const usual = [60, 600, 3_600, 21_600, 86_400] as const

interface WindowFieldProps<Values extends FieldValues> {
  readonly form: Form<Values>
  readonly name: FieldPathByValue<Values, string | undefined>
  /** The current window of the rule, which need not be one of the usual ones. */
  readonly value: string
  readonly label: string
}

/** The window of time that something is counted over. */
export function WindowField<Values extends FieldValues>({
  form,
  name,
  value,
  label,
}: WindowFieldProps<Values>) {
  const seconds = [...new Set([...usual, Number(value)])].sort((one, other) => one - other)
  return (
    <SelectField form={form} name={name} label={label} fieldClassName="w-36">
      {seconds.map((each) => (
        <option key={each} value={String(each)}>
          {formatSeconds(each)}
        </option>
      ))}
    </SelectField>
  )
}
