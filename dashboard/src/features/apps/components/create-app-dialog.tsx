import { useNavigate } from '@tanstack/react-router'
import { Dialog, DialogActions } from '#components/ui/dialog.tsx'
import { Field } from '#components/ui/field.tsx'
import { Input } from '#components/ui/input.tsx'
import { FormProblem } from '#components/ui/problem.tsx'
import { usePermission } from '#lib/session.ts'
import { useForm } from '#lib/use-form.ts'
import { useOpened } from '#lib/use-opened.ts'
import { useCreateApp } from '../api/create-app.ts'

export function CreateAppDialog({ companyId }: { readonly companyId: string }) {
  const [isOpen, setOpen] = useOpened('create-app')
  return (
    <Dialog
      isOpen={isOpen}
      onOpenChange={setOpen}
      title="Create an app"
      description="An app has its own keys, routing, limits and webhook endpoint. One for each product, or for each stage of it."
    >
      <CreateAppForm companyId={companyId} onCancel={() => setOpen(false)} />
    </Dialog>
  )
}

interface CreateAppFormProps {
  readonly companyId: string
  readonly onCancel: () => void
}

function CreateAppForm({ companyId, onCancel }: CreateAppFormProps) {
  const navigate = useNavigate()
  const create = useCreateApp()
  const { reason } = usePermission(companyId, 'developer')
  const form = useForm({
    initial: { name: '' },
    check: ({ name }) => ({ name: name.trim() ? undefined : 'Enter a name' }),
    submit: async ({ name }) => {
      const app = await create.mutateAsync({ params: { company_id: companyId }, body: { name: name.trim() } })
      await navigate({ to: '/a/$appId/start', params: { appId: app.app_id } })
    },
  })
  return (
    <form onSubmit={form.onSubmit} noValidate className="flex flex-col gap-4">
      <Field
        label="Name"
        hint="People read it in the messages, such as “123456 is your code for Harbour”."
        problem={form.problem('name')}
      >
        {(control) => (
          <Input
            {...control}
            maxLength={60}
            autoFocus
            value={form.values.name}
            onChange={(event) => form.set('name', event.target.value)}
          />
        )}
      </Field>
      <FormProblem error={form.error} fields={['name']} />
      <DialogActions
        submit="Create the app"
        isSending={form.isSending}
        onCancel={onCancel}
        disabledReason={reason}
      />
    </form>
  )
}
