import type { CompanyAnswer } from '@countersign/contract'
import { Dialog, DialogActions } from '#components/ui/dialog.tsx'
import { Field } from '#components/ui/field.tsx'
import { Input } from '#components/ui/input.tsx'
import { FormProblem } from '#components/ui/problem.tsx'
import { Money } from '#components/ui/values.tsx'
import { useCurrency } from '#lib/money.ts'
import { useForm } from '#lib/use-form.ts'
import { useCredit } from '../api/companies.ts'

interface TopUpDialogProps {
  readonly company: CompanyAnswer | null
  readonly onClose: () => void
}

export const TopUpDialog = ({ company, onClose }: TopUpDialogProps) => (
  <Dialog
    isOpen={company !== null}
    onOpenChange={onClose}
    title={`Top up ${company?.name ?? ''}`}
    description={
      company && (
        <>
          The balance is <Money amount={company.balance} /> now.
        </>
      )
    }
  >
    {company && <TopUpForm companyId={company.company_id} onClose={onClose} />}
  </Dialog>
)

interface TopUpFormProps {
  readonly companyId: string
  readonly onClose: () => void
}

function TopUpForm({ companyId, onClose }: TopUpFormProps) {
  const credit = useCredit()
  const currency = useCurrency()
  const form = useForm({
    initial: { amount: '', note: '' },
    check: ({ amount }) => ({ amount: amount.trim() ? undefined : 'Enter an amount, such as 100.00' }),
    submit: async ({ amount, note }) => {
      await credit.mutateAsync({
        params: { company_id: companyId },
        body: { amount: amount.trim(), ...(note.trim() ? { note: note.trim() } : {}) },
      })
      onClose()
    },
  })
  return (
    <form onSubmit={form.onSubmit} noValidate className="flex flex-col gap-4">
      <Field label={`Amount${currency ? ` in ${currency}` : ''}`} problem={form.problem('amount')}>
        {(control) => (
          <Input
            {...control}
            autoFocus
            inputMode="decimal"
            className="figures max-w-40 text-right"
            value={form.values.amount}
            onChange={(event) => form.set('amount', event.target.value)}
          />
        )}
      </Field>
      <Field
        label="Note"
        isOptional
        hint="Stands in the ledger, such as the number of an invoice."
        problem={form.problem('note')}
      >
        {(control) => (
          <Input
            {...control}
            maxLength={200}
            value={form.values.note}
            onChange={(event) => form.set('note', event.target.value)}
          />
        )}
      </Field>
      <FormProblem error={form.error} fields={['amount', 'note']} />
      <DialogActions submit="Top up" isSending={form.isSending} onCancel={onClose} />
    </form>
  )
}
