import type { PasskeyAnswer } from '@countersign/contract'
import { Dialog, DialogActions } from '#components/ui/dialog.tsx'
import { Field } from '#components/ui/field.tsx'
import { Input } from '#components/ui/input.tsx'
import { FormProblem } from '#components/ui/problem.tsx'
import { useForm } from '#lib/use-form.ts'
import { useOpened } from '#lib/use-opened.ts'
import { useMakePasskey, useRenamePasskey } from '../api/passkeys.ts'
import { describeUserAgent } from '../user-agent.ts'

export function MakePasskeyDialog() {
  const [isOpen, setOpen] = useOpened('make-passkey')
  const make = useMakePasskey()
  return (
    <Dialog
      isOpen={isOpen}
      onOpenChange={setOpen}
      title="Make a passkey"
      description="Your device asks you next. The key stays there; the service keeps only its public half."
    >
      <NameForm
        initial={describeUserAgent(navigator.userAgent)}
        submit="Make the passkey"
        onSubmit={(name) => make.mutateAsync(name)}
        onClose={() => setOpen(false)}
      />
    </Dialog>
  )
}

interface RenamePasskeyDialogProps {
  readonly passkey: PasskeyAnswer
  readonly isOpen: boolean
  readonly onOpenChange: (isOpen: boolean) => void
}

export function RenamePasskeyDialog({ passkey, isOpen, onOpenChange }: RenamePasskeyDialogProps) {
  const rename = useRenamePasskey()
  return (
    <Dialog isOpen={isOpen} onOpenChange={onOpenChange} title="Rename the passkey">
      <NameForm
        initial={passkey.name}
        submit="Rename"
        onSubmit={(name) =>
          rename.mutateAsync({ params: { passkey_id: passkey.passkey_id }, body: { name } })
        }
        onClose={() => onOpenChange(false)}
      />
    </Dialog>
  )
}

interface NameFormProps {
  readonly initial: string
  readonly submit: string
  readonly onSubmit: (name: string) => Promise<unknown>
  readonly onClose: () => void
}

function NameForm({ initial, submit, onSubmit, onClose }: NameFormProps) {
  const form = useForm({
    initial: { name: initial },
    check: ({ name }) => ({ name: name.trim() ? undefined : 'Enter a name' }),
    submit: async ({ name }) => {
      await onSubmit(name.trim())
      onClose()
    },
  })
  return (
    <form onSubmit={form.onSubmit} noValidate className="flex flex-col gap-4">
      <Field label="Name" hint="So that you know it again." problem={form.problem('name')}>
        {(control) => (
          <Input
            {...control}
            autoFocus
            maxLength={60}
            value={form.values.name}
            onChange={(event) => form.set('name', event.target.value)}
          />
        )}
      </Field>
      <FormProblem error={form.error} fields={['name']} />
      <DialogActions submit={submit} isSending={form.isSending} onCancel={onClose} />
    </form>
  )
}
