import type { ReactNode } from 'react'
import type { FieldValues } from 'react-hook-form'
import { DialogActions, useHold } from '#components/ui/dialog.tsx'
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

/**
 * A form in a dialog. Once it is filled in, Escape and leaving the page ask before it is lost; Cancel does not. While an
 * answer is awaited, all of them ask.
 */
export function DialogForm<Values extends FieldValues>(props: DialogFormProps<Values>) {
  const { form, submit, tone = 'primary', onCancel, disabledReason, children } = props
  useHold(form.isSending ? 'sending' : form.isChanged ? 'filled' : null)
  useUnsaved(form.isChanged || form.isSending, 'dialog')
  return (
    <Form
      form={form}
      actions={<DialogActions {...{ submit, tone, onCancel, disabledReason }} isSending={form.isSending} />}
    >
      {children}
    </Form>
  )
}
