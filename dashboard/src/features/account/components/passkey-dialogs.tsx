import type { PasskeyAnswer } from '@countersign/contract'
import { renamePasskeyBody } from '@countersign/contract/bodies'
import { DialogForm } from '#components/form/dialog-form.tsx'
import { TextField } from '#components/form/fields.tsx'
import { Dialog } from '#components/ui/dialog.tsx'
import { against } from '#lib/form/problems.ts'
import { useForm } from '#lib/form/use-form.ts'
import { useOpened } from '#lib/use-opened.ts'
import { useMakePasskey, useRenamePasskey } from '../api/passkeys.ts'
import { describeUserAgent } from '../lib/user-agent.ts'

export function MakePasskeyDialog() {
  const [isOpen, setOpen] = useOpened('make-passkey')
  const make = useMakePasskey()
  return (
    <Dialog
      isOpen={isOpen}
      onOpenChange={setOpen}
      title="Create a passkey"
      description="Your device will ask you to confirm. The private key stays on it; the service stores only the public key."
    >
      <NameForm
        initial={describeUserAgent(navigator.userAgent)}
        submit="Create the passkey"
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
    body: (values) => values,
    check: against(renamePasskeyBody),
    submit: async ({ name }) => {
      await onSubmit(name)
      onClose()
    },
  })
  return (
    <DialogForm form={form} submit={submit} onCancel={onClose}>
      <TextField form={form} name="name" label="Name" hint="So that you recognise it later." />
    </DialogForm>
  )
}
