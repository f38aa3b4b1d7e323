import { Field } from '#components/ui/field.tsx'
import { TextArea } from '#components/ui/input.tsx'
import { sayProblem } from '#lib/form/problems.ts'
import { useField } from '#lib/form/use-field.ts'
import type { Form } from '#lib/form/use-form.ts'
import type { RuleValues } from '../lib/rule-values.ts'

interface LinesFieldProps {
  readonly form: Form<RuleValues>
  readonly name: 'when.email_domain' | 'when.prefix'
  readonly label: string
  readonly hint: string
}

/** A list as people paste it: one entry a line. */
export function LinesField({ form, name, label, hint }: LinesFieldProps) {
  const field = useField(form, name)
  return (
    <Field label={label} hint={hint} problem={field.problem && sayProblem(label, field.problem)}>
      {(control) => (
        <TextArea
          {...control}
          spellCheck={false}
          className="font-mono"
          value={field.value}
          onChange={({ target }) => field.set(target.value)}
        />
      )}
    </Field>
  )
}
