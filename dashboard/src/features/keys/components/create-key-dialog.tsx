import type { KeyKind } from '@countersign/contract'
import { useState } from 'react'
import { Choice } from '#components/ui/choice.tsx'
import { Dialog, DialogActions } from '#components/ui/dialog.tsx'
import { Field } from '#components/ui/field.tsx'
import { Input } from '#components/ui/input.tsx'
import { FormProblem } from '#components/ui/problem.tsx'
import type { AnswerOf } from '#lib/client.ts'
import { useChange } from '#lib/use-change.ts'
import { useForm } from '#lib/use-form.ts'
import { kindLabels, kindWords } from '../kinds.ts'
import { SecretDialog } from './secret-dialog.tsx'

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
  const create = useChange('createKey', { refreshes: ['listKeys'], problems: 'form' })
  const form = useForm({
    initial,
    submit: async ({ kind, name }) => {
      const body = { kind, ...(name.trim() ? { name: name.trim() } : {}) }
      setCreated(await create.mutateAsync({ params: { app_id: appId }, body }))
    },
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
      <form onSubmit={form.onSubmit} noValidate className="flex flex-col gap-4">
        <Choice
          label="Kind"
          value={form.values.kind}
          options={kinds}
          onChange={(kind) => form.set('kind', kind)}
        />
        <Field
          label="Name"
          isOptional
          hint="Where it is used, such as “Shop backend”. You will want to know before you revoke it."
          problem={form.problem('name')}
        >
          {(control) => (
            <Input
              {...control}
              maxLength={60}
              value={form.values.name}
              onChange={(event) => form.set('name', event.target.value)}
            />
          )}
        </Field>
        <FormProblem error={form.error} fields={['name']} />
        <DialogActions submit="Create the key" isSending={form.isSending} onCancel={onClose} />
      </form>
    </Dialog>
  )
}
