import { useNavigate } from '@tanstack/react-router'
import { Dialog, DialogActions } from '#components/ui/dialog.tsx'
import { Field } from '#components/ui/field.tsx'
import { Input } from '#components/ui/input.tsx'
import { FormProblem } from '#components/ui/problem.tsx'
import { Switch } from '#components/ui/switch.tsx'
import { useCurrency } from '#lib/money.ts'
import { useForm } from '#lib/use-form.ts'
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
  const navigate = useNavigate()
  const create = useCreateCompany()
  const currency = useCurrency()
  const form = useForm({
    initial: { name: '', balance: '', metered: true },
    check: ({ name }) => ({ name: name.trim() ? undefined : 'Enter a name' }),
    submit: async ({ name, balance, metered }) => {
      const company = await create.mutateAsync({
        body: {
          name: name.trim(),
          metered,
          ...(metered && balance.trim() ? { balance: balance.trim() } : {}),
        },
      })
      await navigate({
        to: '/c/$companyId/team',
        params: { companyId: company.company_id },
        search: { open: 'invite' },
      })
    },
  })
  return (
    <form onSubmit={form.onSubmit} noValidate className="flex flex-col gap-4">
      <Field label="Name" problem={form.problem('name')}>
        {(control) => (
          <Input
            {...control}
            autoFocus
            maxLength={100}
            value={form.values.name}
            onChange={(event) => form.set('name', event.target.value)}
          />
        )}
      </Field>
      <Switch
        label="Metered"
        hint="Every message is paid from the balance. Without it, the company sends freely."
        isOn={form.values.metered}
        onChange={(metered) => form.set('metered', metered)}
      />
      {form.values.metered && (
        <Field
          label={`First balance${currency ? ` in ${currency}` : ''}`}
          isOptional
          problem={form.problem('balance')}
        >
          {(control) => (
            <Input
              {...control}
              inputMode="decimal"
              placeholder="0.00"
              className="figures max-w-40 text-right"
              value={form.values.balance}
              onChange={(event) => form.set('balance', event.target.value)}
            />
          )}
        </Field>
      )}
      <FormProblem error={form.error} fields={['name', 'balance', 'metered']} />
      <DialogActions submit="Create and invite its owner" isSending={form.isSending} onCancel={onCancel} />
    </form>
  )
}
