import { AmountInput } from '#components/ui/amount-input.tsx'
import { Select } from '#components/ui/input.tsx'
import { positiveAmountProblem } from '#lib/amount.ts'
import { useCurrency } from '#lib/money.ts'

interface CapFieldProps {
  readonly label: string
  /** `learned`, `off`, or an amount as typed. */
  readonly value: string
  readonly onChange: (value: string) => void
  readonly problem?: string | undefined
  readonly describedBy?: string | undefined
}

const isAmount = (value: string) => value !== 'learned' && value !== 'off'

export const capProblem = (value: string): string | undefined =>
  isAmount(value) ? positiveAmountProblem(value) : undefined

export function CapField({ label, value, onChange, problem, describedBy }: CapFieldProps) {
  const currency = useCurrency()
  return (
    <span className="flex flex-wrap items-center gap-2">
      <Select
        aria-label={label}
        aria-describedby={describedBy}
        className="!w-auto"
        value={isAmount(value) ? 'amount' : value}
        onChange={({ target }) => onChange(target.value === 'amount' ? '' : target.value)}
      >
        <option value="learned">Learned</option>
        <option value="amount">An amount</option>
        <option value="off">No cap</option>
      </Select>
      {isAmount(value) && (
        <AmountInput
          aria-label={`${label}: amount`}
          aria-invalid={problem ? true : undefined}
          className="max-w-28"
          placeholder="25.00"
          value={value}
          onValue={onChange}
          currency={currency}
        />
      )}
    </span>
  )
}
