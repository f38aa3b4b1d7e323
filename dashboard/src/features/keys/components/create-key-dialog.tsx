import type { KeyKind } from '@countersign/contract'
import { createKeyBody } from '@countersign/contract/bodies'
import { useState } from 'react'
import { DialogForm } from '#components/form/dialog-form.tsx'
import { ChoiceField, TextField } from '#components/form/fields.tsx'
import { Dialog } from '#components/ui/dialog.tsx'
import { SecretDialog } from '#components/ui/secret-dialog.tsx'
import type { AnswerOf } from '#lib/client.ts'
import { against } from '#lib/form/problems.ts'
import { givenText } from '#lib/form/typed.ts'
import { useForm } from '#lib/form/use-form.ts'
import { useCreateKey } from '../api/keys.ts'
import { kindLabels, kindWords } from '../lib/kinds.ts'

interface CreateKeyDialogProps {
  readonly appId: string
  readonly onClose: () => void
}

const initial: { readonly kind: KeyKind; readonly name: string } = { kind: 'server', name: '' }

const kinds = (['server', 'publishable'] as const).map((kind) => ({
  value: kind,
  label: `${kindLabels[kind]} key`,
  text: kindWords[kind].may,
}))

export function CreateKeyDialog({ appId, onClose }: CreateKeyDialogProps) {
  const [created, setCreated] = useState<AnswerOf<'createKey'> | null>(null)
  const create = useCreateKey()
  const form = useForm({
    initial,
    body: ({ kind, name }) => {
      const given = givenText(name)
      return { kind, ...(given ? { name: given } : {}) }
    },
    check: against(createKeyBody),
    submit: async (body) => setCreated(await create.mutateAsync({ params: { app_id: appId }, body })),
  })
  if (created) {
    return (
      <SecretDialog
        title={created.name ? `The key ${created.name}` : 'The new key'}
        label={`${kindLabels[created.kind]} key`}
        secret={created.key}
        onClose={onClose}
      />
    )
  }
  return (
    <Dialog isOpen onOpenChange={onClose} title="Create a key">
      <DialogForm form={form} submit="Create the key" onCancel={onClose}>
        <ChoiceField form={form} name="kind" label="Kind" options={kinds} />
        <TextField
          form={form}
          name="name"
          label="Name"
          isOptional
          hint="Where it is used, such as “Shop backend”. It helps when you want to revoke it."
        />
      </DialogForm>
    </Dialog>
  )
}
