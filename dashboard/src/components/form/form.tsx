import type { ReactNode } from 'react'
import type { FieldValues } from 'react-hook-form'
import { FormProblem } from '#components/ui/problem.tsx'
import { cx } from '#lib/classes.ts'
import type { Form as FormState } from '#lib/form/use-form.ts'

interface FormProps<Values extends FieldValues> {
  readonly form: FormState<Values>
  readonly label?: string
  readonly className?: string
  readonly children: ReactNode
  /** The buttons, below the refusal. */
  readonly actions: ReactNode
  /** Shown in place of the refusal, where the page has more to say about it. */
  readonly refusal?: ReactNode
}

/** Fields, what was refused, and buttons. */
export const Form = <Values extends FieldValues>(props: FormProps<Values>) => {
  const { form, label, className, children, actions, refusal } = props
  return (
    <form
      onSubmit={form.onSubmit}
      noValidate
      aria-label={label}
      className={cx('flex flex-col gap-4', className)}
    >
      {children}
      {refusal ?? <FormProblem {...form.refusal} />}
      {actions}
    </form>
  )
}
