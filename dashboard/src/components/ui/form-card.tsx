import type { ReactNode } from 'react'
import type { Permission } from '#lib/session.ts'
import { useUnsaved } from '#lib/unsaved.ts'
import type { Form } from '#lib/use-form.ts'
import { Button } from './button.tsx'
import { Card } from './card.tsx'
import { FormProblem } from './problem.tsx'

interface FormCardProps<Values> {
  readonly form: Form<Values>
  readonly title: string
  readonly description?: ReactNode
  readonly permission: Permission
  /** Names of the body whose problems stand beside their fields. */
  readonly fields: readonly string[]
  readonly actions?: ReactNode
  readonly children: ReactNode
}

/** A part of the settings that is saved by itself. Whoever may not change it sees it all the same. */
export function FormCard<Values>(props: FormCardProps<Values>) {
  const { form, title, description, permission, fields, actions, children } = props
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
          <FormProblem error={form.error} fields={fields} />
        </fieldset>
      </Card>
    </form>
  )
}

const SaveActions = <Values,>({ form }: Pick<FormCardProps<Values>, 'form'>) => (
  <>
    <Button type="submit" variant="primary" isBusy={form.isSending} disabled={!form.isChanged}>
      Save
    </Button>
    {form.isChanged && (
      <>
        <Button variant="ghost" onClick={() => form.reset()}>
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
