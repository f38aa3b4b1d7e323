import { createCompanyBody } from '@countersign/contract/bodies'
import { DialogForm } from '#components/form/dialog-form.tsx'
import { AmountField, SwitchField, TextField } from '#components/form/fields.tsx'
import { Dialog } from '#components/ui/dialog.tsx'
import { against } from '#lib/form/problems.ts'
import { useForm } from '#lib/form/use-form.ts'
import { useCurrency } from '#lib/money.ts'
import { useMove } from '#lib/use-move.ts'
import { useOpened } from '#lib/use-opened.ts'
import { useCreateCompany } from '../api/companies.ts'

export function CreateCompanyDialog() {
  const [isOpen, setOpen] = useOpened('create-company')
  return (
    <Dialog isOpen={isOpen} onOpenChange={setOpen} title="Create a company">
      <CreateCompanyForm onCancel={() => setOpen(false)} />
    </Dialog>
  )
}

function CreateCompanyForm({ onCancel }: { readonly onCancel: () => void }) {
  const move = useMove()
  const create = useCreateCompany()
  const currency = useCurrency()
  const form = useForm({
    initial: { name: '', balance: '', metered: true },
    body: ({ name, balance, metered }) => ({
      name,
      metered,
      ...(metered && balance ? { balance } : {}),
    }),
    check: against(createCompanyBody),
    submit: async (body) => {
      const company = await create.mutateAsync({ body })
      await move({
        to: '/c/$companyId/team',
        params: { companyId: company.company_id },
        search: { open: 'invite' },
      })
    },
  })
  return (
    <DialogForm form={form} submit="Create and invite its owner" onCancel={onCancel}>
      <TextField form={form} name="name" label="Name" />
      <SwitchField
        form={form}
        name="metered"
        label="Metered"
        hint="Every message is paid for from the balance. When off, the company can send without paying."
      />
      {form.values.metered && (
        <AmountField
          form={form}
          name="balance"
          label="Opening balance"
          isOptional
          placeholder="0.00"
          className="max-w-40"
          currency={currency}
        />
      )}
    </DialogForm>
  )
}
