import { Button } from '#components/ui/button.tsx'
import { Card } from '#components/ui/card.tsx'
import { Dialog } from '#components/ui/dialog.tsx'
import { Field } from '#components/ui/field.tsx'
import { Input } from '#components/ui/input.tsx'
import { FormProblem } from '#components/ui/problem.tsx'
import { ApiError } from '#lib/api-error.ts'
import { plural } from '#lib/format.ts'
import { usePermission } from '#lib/session.ts'
import { useChange } from '#lib/use-change.ts'
import { useForm } from '#lib/use-form.ts'
import { useOpened } from '#lib/use-opened.ts'

export function EraseCard({ companyId }: { readonly companyId: string }) {
  const [isOpen, setOpen] = useOpened('erase')
  const { reason } = usePermission(companyId, 'owner')
  return (
    <Card
      title="Erase a recipient"
      description="For a person who asks to be forgotten: everything that is kept about one phone number or email address goes at once, in all apps of the company."
    >
      <Button variant="danger" disabledReason={reason} onClick={() => setOpen(true)}>
        Erase a recipient…
      </Button>
      <Dialog
        isOpen={isOpen && reason === undefined}
        onOpenChange={setOpen}
        title="Erase a recipient"
        description="Its verifications, messages and decisions are removed from every app of the company. This cannot be undone."
      >
        <EraseForm companyId={companyId} onDone={() => setOpen(false)} />
      </Dialog>
    </Card>
  )
}

interface EraseFormProps {
  readonly companyId: string
  readonly onDone: () => void
}

function EraseForm({ companyId, onDone }: EraseFormProps) {
  const erase = useChange('eraseRecipient', {
    says: ({ verifications }) => `Erased, with ${plural(verifications, 'verification')}`,
    refreshes: ['listVerifications', 'searchVerifications', 'getVerification'],
    problems: 'form',
  })
  const form = useForm({
    initial: { recipient: '', again: '' },
    check: ({ recipient, again }) => ({
      recipient: recipient.trim() ? undefined : 'Enter a whole phone number or email address',
      again: again.trim() === recipient.trim() ? undefined : 'This differs from the line above',
    }),
    submit: async ({ recipient }) => {
      await erase.mutateAsync({ params: { company_id: companyId }, body: { recipient: recipient.trim() } })
      onDone()
    },
  })
  const isInvalid = form.error instanceof ApiError && form.error.type === 'InvalidRecipientError'
  return (
    <form onSubmit={form.onSubmit} noValidate className="flex flex-col gap-4">
      <Field
        label="Recipient"
        hint="The whole number with +, or the whole address."
        problem={
          isInvalid ? 'This is neither a phone number nor an email address.' : form.problem('recipient')
        }
      >
        {(control) => (
          <Input
            {...control}
            autoFocus
            value={form.values.recipient}
            onChange={(event) => form.set('recipient', event.target.value)}
          />
        )}
      </Field>
      <Field label="The same once more" problem={form.problem('again')}>
        {(control) => (
          <Input
            {...control}
            value={form.values.again}
            onChange={(event) => form.set('again', event.target.value)}
          />
        )}
      </Field>
      {!isInvalid && <FormProblem error={form.error} fields={['recipient']} />}
      <div className="-mx-5 -mb-4 flex justify-end gap-2 border-t bg-page px-5 py-3">
        <Button onClick={onDone}>Cancel</Button>
        <Button type="submit" variant="danger-solid" isBusy={form.isSending}>
          Erase for good
        </Button>
      </div>
    </form>
  )
}
