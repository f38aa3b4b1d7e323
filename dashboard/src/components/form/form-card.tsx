import type { ReactNode } from 'react'
import type { FieldValues } from 'react-hook-form'
import { Button } from '#components/ui/button.tsx'
import { Card } from '#components/ui/card.tsx'
import { FormProblem } from '#components/ui/problem.tsx'
import type { Form } from '#lib/form/use-form.ts'
import type { Permission } from '#lib/session.ts'
import { useUnsaved } from '#lib/unsaved.ts'

interface FormCardProps<Values extends FieldValues> {
  readonly form: Form<Values>
  readonly title: string
  readonly description?: ReactNode
  readonly permission: Permission
  readonly actions?: ReactNode
  readonly children: ReactNode
}

/** A part of the settings that is saved by itself. People who may not change it see it too. */
export function FormCard<Values extends FieldValues>(props: FormCardProps<Values>) {
  const { form, title, description, permission, actions, children } = props
  useUnsaved(form.isChanged)
  return (
    <form onSubmit={form.onSubmit} noValidate aria-label={title}>
      <Card
        title={title}
        description={description}
        actions={actions}
        footer={permission.may ? <SaveActions form={form} /> : <Reason text={permission.reason} />}
      >
        <fieldset disabled={!permission.may} className="flex min-w-0 flex-col gap-4">
          {children}
          <FormProblem {...form.refusal} />
        </fieldset>
      </Card>
    </form>
  )
}

const SaveActions = <Values extends FieldValues>({ form }: Pick<FormCardProps<Values>, 'form'>) => (
  <>
    <Button type="submit" variant="primary" isBusy={form.isSending} disabled={!form.isChanged}>
      Save
    </Button>
    {form.isChanged && (
      <>
        <Button variant="ghost" disabled={form.isSending} onClick={() => form.reset()}>
          Discard
        </Button>
        <span className="text-xs text-muted">Not saved yet</span>
      </>
    )}
  </>
)

const Reason = ({ text }: { readonly text: string | undefined }) => (
  <p className="text-sm text-muted">{text}</p>
)
