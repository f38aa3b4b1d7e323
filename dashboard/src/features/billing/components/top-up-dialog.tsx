import { creditBody } from '@countersign/contract/bodies'
import { useState } from 'react'
import { DialogForm } from '#components/form/dialog-form.tsx'
import { AmountField, TextField } from '#components/form/fields.tsx'
import { Button } from '#components/ui/button.tsx'
import { Dialog, useHold } from '#components/ui/dialog.tsx'
import { FormProblem } from '#components/ui/problem.tsx'
import { Money } from '#components/ui/values.tsx'
import { useCompany } from '#lib/app.ts'
import { against } from '#lib/form/problems.ts'
import { useForm } from '#lib/form/use-form.ts'
import { formatMoney, useCurrency } from '#lib/money.ts'
import { useIsHere } from '#lib/use-is-here.ts'
import { useCreditCompany } from '../api/billing.ts'

interface TopUpDialogProps {
  readonly companyId: string
  readonly isOpen: boolean
  readonly onOpenChange: (isOpen: boolean) => void
}

interface Credit {
  readonly amount: string
  readonly note: string
}

/** Asks for the amount, then for confirmation: a credit cannot be undone. */
export function TopUpDialog({ companyId, isOpen, onOpenChange }: TopUpDialogProps) {
  const { name } = useCompany(companyId)
  const [credit, setCredit] = useState<Credit>({ amount: '', note: '' })
  const [isAsking, setAsking] = useState(false)
  const close = () => {
    onOpenChange(false)
    setAsking(false)
    setCredit({ amount: '', note: '' })
  }
  return (
    <Dialog
      isOpen={isOpen}
      onOpenChange={(next) => (next ? onOpenChange(true) : close())}
      title={`Top up ${name}`}
    >
      {isAsking ? (
        <Question companyId={companyId} credit={credit} onBack={() => setAsking(false)} onDone={close} />
      ) : (
        <AmountForm
          credit={credit}
          onCancel={close}
          onGiven={(given) => {
            setCredit(given)
            setAsking(true)
          }}
        />
      )}
    </Dialog>
  )
}

interface AmountFormProps {
  readonly credit: Credit
  readonly onGiven: (credit: Credit) => void
  readonly onCancel: () => void
}

function AmountForm({ credit, onGiven, onCancel }: AmountFormProps) {
  const currency = useCurrency()
  const form = useForm({
    initial: credit,
    body: ({ amount, note }) => ({ amount, ...(note ? { note } : {}) }),
    check: against(creditBody),
    submit: async (_body, values) => onGiven(values),
  })
  return (
    <DialogForm form={form} submit="Continue" onCancel={onCancel}>
      <AmountField
        form={form}
        name="amount"
        label="Amount"
        // For coming back from the confirmation; a dialog that opens focuses its first field by itself.
        autoFocus={credit.amount !== ''}
        className="max-w-40"
        placeholder="100.00"
        currency={currency}
      />
      <TextField
        form={form}
        name="note"
        label="Note"
        isOptional
        hint="Shown in the ledger, such as an invoice number."
      />
    </DialogForm>
  )
}

interface QuestionProps {
  readonly companyId: string
  readonly credit: Credit
  readonly onBack: () => void
  readonly onDone: () => void
}

function Question({ companyId, credit: { amount, note }, onBack, onDone }: QuestionProps) {
  const { name, balance } = useCompany(companyId)
  const currency = useCurrency()
  const text = formatMoney(amount, currency)
  const isHere = useIsHere()
  const add = useCreditCompany(`${text} was added to the balance of ${name}.`, () => isHere() && onDone())
  useHold(add.isPending ? 'sending' : null)
  return (
    <>
      <p className="text-sm">
        Add <strong className="font-semibold">{text}</strong> to the balance of {name}? It cannot be taken
        back.
      </p>
      <dl className="grid max-w-xs grid-cols-[1fr_auto] gap-x-6 gap-y-1 text-sm">
        <dt className="text-muted">Balance now</dt>
        <dd className="text-right">
          <Money amount={balance} decimals="short" />
        </dd>
        <dt className="text-muted">Balance afterwards</dt>
        <dd className="text-right font-medium">
          <Money amount={(Number(balance) + Number(amount)).toFixed(6)} decimals="short" />
        </dd>
        {note && (
          <>
            <dt className="text-muted">Note</dt>
            <dd className="text-right [overflow-wrap:anywhere]">{note}</dd>
          </>
        )}
      </dl>
      <FormProblem error={add.error} />
      <div className="-mx-5 -mb-4 flex justify-end gap-2 border-t bg-page px-5 py-3">
        <Button onClick={onBack} disabled={add.isPending} autoFocus>
          Back
        </Button>
        <Button
          variant="primary"
          isBusy={add.isPending}
          onClick={() =>
            add.mutate({ params: { company_id: companyId }, body: note ? { amount, note } : { amount } })
          }
        >
          Add {text}
        </Button>
      </div>
    </>
  )
}
