import type { FieldPathByValue, FieldValues } from 'react-hook-form'
import { FieldGroup, FieldProblem } from '#components/ui/field.tsx'
import { sayProblem } from '#lib/form/problems.ts'
import { useField } from '#lib/form/use-field.ts'
import type { Form } from '#lib/form/use-form.ts'

interface SetFieldProps<Values extends FieldValues> {
  readonly form: Form<Values>
  readonly name: FieldPathByValue<Values, string[]>
  readonly label: string
  readonly options: Readonly<Record<string, string>>
}

/** A choice of any number among a few options, all in sight. */
export function SetField<Values extends FieldValues>({ form, name, label, options }: SetFieldProps<Values>) {
  const field = useField(form, name)
  const held: unknown = field.value
  const chosen: readonly unknown[] = Array.isArray(held) ? held : []
  const toggle = (value: string) =>
    field.onChange(
      Object.keys(options).filter((each) =>
        each === value ? !chosen.includes(each) : chosen.includes(each),
      ),
    )
  return (
    <FieldGroup label={label}>
      <div className="flex flex-wrap gap-x-4 gap-y-1.5">
        {Object.entries(options).map(([value, text], index) => (
          <label key={value} className="flex items-center gap-2 text-sm pointer-coarse:py-1">
            <input
              type="checkbox"
              className="size-4 accent-accent"
              checked={chosen.includes(value)}
              onChange={() => toggle(value)}
              {...(index === 0 && field.problem ? { 'aria-invalid': true } : {})}
            />
            {text}
          </label>
        ))}
      </div>
      <FieldProblem text={field.problem && sayProblem(label, field.problem)} />
    </FieldGroup>
  )
}
