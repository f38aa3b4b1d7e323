import type { FieldPathByValue } from 'react-hook-form'
import { AmountInput } from '#components/ui/amount-input.tsx'
import { FieldProblem } from '#components/ui/field.tsx'
import { Select } from '#components/ui/input.tsx'
import { sayProblem } from '#lib/form/problems.ts'
import { useField } from '#lib/form/use-field.ts'
import type { Form } from '#lib/form/use-form.ts'
import { useCurrency } from '#lib/money.ts'
import type { CapValues } from './cap-values.ts'

interface CapFieldProps {
  readonly form: Form<CapValues>
  readonly name: FieldPathByValue<CapValues, string>
  readonly label: string
  readonly describedBy?: string | undefined
}

const isAmount = (value: string) => value !== 'learned' && value !== 'off'

/** A cap: `learned`, `off`, or an amount as typed. */
export function CapField({ form, name, label, describedBy }: CapFieldProps) {
  const currency = useCurrency()
  const { value, set, problem } = useField(form, name)
  return (
    <span className="flex flex-col gap-1">
      <span className="flex flex-wrap items-center gap-2">
        <Select
          aria-label={label}
          aria-describedby={describedBy}
          className="w-auto"
          value={isAmount(value) ? 'amount' : value}
          onChange={({ target }) => set(target.value === 'amount' ? '' : target.value)}
        >
          <option value="learned">Learned</option>
          <option value="amount">A fixed amount</option>
          <option value="off">No cap</option>
        </Select>
        {isAmount(value) && (
          <AmountInput
            aria-label={`${label}: amount`}
            aria-invalid={problem ? true : undefined}
            className="max-w-28"
            placeholder="25.00"
            value={value}
            onValue={set}
            currency={currency}
          />
        )}
      </span>
      <FieldProblem text={problem && sayProblem('The cap', problem)} />
    </span>
  )
}
