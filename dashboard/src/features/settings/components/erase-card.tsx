import { eraseBody } from '@countersign/contract/bodies'
import { DialogForm } from '#components/form/dialog-form.tsx'
import { SelectField, TextField } from '#components/form/fields.tsx'
import { Button } from '#components/ui/button.tsx'
import { Card } from '#components/ui/card.tsx'
import { CountryOptions } from '#components/ui/country-select.tsx'
import { Dialog } from '#components/ui/dialog.tsx'
import { against } from '#lib/form/problems.ts'
import { givenText } from '#lib/form/typed.ts'
import { useForm } from '#lib/form/use-form.ts'
import { usePermission } from '#lib/session.ts'
import { useOpened } from '#lib/use-opened.ts'
import { useEraseRecipient } from '../api/company.ts'

export function EraseCard({ companyId }: { readonly companyId: string }) {
  const [isOpen, setOpen] = useOpened('erase')
  const { reason } = usePermission(companyId, 'owner')
  return (
    <Card
      title="Erase a recipient"
      description="For a person who asks to be forgotten: everything stored about one phone number or email address is deleted at once, in all apps of the company."
    >
      <Button variant="danger" disabledReason={reason} onClick={() => setOpen(true)}>
        Erase a recipient…
      </Button>
      <Dialog
        isOpen={isOpen && reason === undefined}
        onOpenChange={setOpen}
        title="Erase a recipient"
        description="Its verifications, messages, decisions and refusals are removed from every app of the company. This cannot be undone."
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
  const erase = useEraseRecipient()
  const form = useForm({
    initial: { recipient: '', country: '', again: '' },
    body: ({ recipient, country, again }) => ({
      recipient: givenText(recipient),
      ...(country ? { country } : {}),
      again: givenText(again),
    }),
    check: ({ again, ...body }) => [
      ...against(eraseBody)(body),
      ...(again === body.recipient ? [] : [{ path: 'again', message: 'This is not the same as above' }]),
    ],
    submit: async ({ recipient = '', country }) => {
      const body = { recipient, ...(country ? { country } : {}) }
      await erase.mutateAsync({ params: { company_id: companyId }, body })
      onDone()
    },
    refusals: {
      InvalidRecipientError: {
        path: 'recipient',
        message:
          'is not a phone number or an email address; if the number has no country code, choose its country',
      },
    },
  })
  return (
    <DialogForm form={form} submit="Erase permanently" tone="danger-solid" onCancel={onDone}>
      <TextField
        form={form}
        name="recipient"
        label="Recipient"
        hint="The whole number or the whole address, as people write it."
      />
      <SelectField form={form} name="country" label="Country, if the number has no country code" isOptional>
        <CountryOptions none="None" />
      </SelectField>
      <TextField form={form} name="again" label="Repeat it" />
    </DialogForm>
  )
}
