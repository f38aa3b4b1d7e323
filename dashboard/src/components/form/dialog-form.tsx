import type { ReactNode } from 'react'
import type { FieldValues } from 'react-hook-form'
import { DialogActions, useFilled } from '#components/ui/dialog.tsx'
import type { Form as FormState } from '#lib/form/use-form.ts'
import { useUnsaved } from '#lib/unsaved.ts'
import { Form } from './form.tsx'

interface DialogFormProps<Values extends FieldValues> {
  readonly form: FormState<Values>
  readonly submit: string
  readonly tone?: 'primary' | 'danger-solid'
  readonly onCancel: () => void
  readonly disabledReason?: string | undefined
  readonly children: ReactNode
}

/** A form in a dialog. Once it is filled in, Escape and leaving the page ask before it is lost; Cancel does not. */
export function DialogForm<Values extends FieldValues>(props: DialogFormProps<Values>) {
  const { form, submit, tone = 'primary', onCancel, disabledReason, children } = props
  // Not while it is being sent: a successful answer may lead to another page.
  const isFilled = form.isChanged && !form.isSending
  useFilled(isFilled)
  useUnsaved(isFilled)
  return (
    <Form
      form={form}
      actions={<DialogActions {...{ submit, tone, onCancel, disabledReason }} isSending={form.isSending} />}
    >
      {children}
    </Form>
  )
}
