import { createAppBody } from '@countersign/contract/bodies'
import { DialogForm } from '#components/form/dialog-form.tsx'
import { TextField } from '#components/form/fields.tsx'
import { Dialog } from '#components/ui/dialog.tsx'
import { against } from '#lib/form/problems.ts'
import { useForm } from '#lib/form/use-form.ts'
import { usePermission } from '#lib/session.ts'
import { useMove } from '#lib/use-move.ts'
import { useOpened } from '#lib/use-opened.ts'
import { useCreateApp } from '../api/apps.ts'

export function CreateAppDialog({ companyId }: { readonly companyId: string }) {
  const [isOpen, setOpen] = useOpened('create-app')
  return (
    <Dialog
      isOpen={isOpen}
      onOpenChange={setOpen}
      title="Create an app"
      description="An app has its own keys, routing, limits and webhook endpoint. Make one for each product, or one for each environment."
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
  const move = useMove()
  const create = useCreateApp()
  const { reason } = usePermission(companyId, 'developer')
  const form = useForm({
    initial: { name: '' },
    body: (values) => values,
    check: against(createAppBody),
    submit: async (body) => {
      const app = await create.mutateAsync({ params: { company_id: companyId }, body })
      await move({ to: '/a/$appId/start', params: { appId: app.app_id } })
    },
  })
  return (
    <DialogForm form={form} submit="Create the app" onCancel={onCancel} disabledReason={reason}>
      <TextField
        form={form}
        name="name"
        label="Name"
        hint="People see it in the messages, such as “123456 is your code for Harbour”."
      />
    </DialogForm>
  )
}
