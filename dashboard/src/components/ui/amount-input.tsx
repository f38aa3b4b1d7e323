import type { ComponentProps } from 'react'
import { cx } from '#lib/classes.ts'
import { Input } from './input.tsx'

interface AmountInputProps extends Omit<ComponentProps<'input'>, 'type' | 'value' | 'onChange'> {
  /** As typed. */
  readonly value: string
  readonly onValue: (value: string) => void
  readonly currency?: string | null | undefined
}

/** Money, right-aligned, followed by the currency. A comma counts as the decimal point. */
export const AmountInput = ({ value, onValue, currency, className, ...rest }: AmountInputProps) => (
  <span className="flex items-center gap-2">
    <Input
      {...rest}
      inputMode="decimal"
      value={value}
      onChange={(event) => onValue(event.target.value.replace(',', '.').replace(/[^\d.]/g, ''))}
      className={cx('figures text-right', className)}
    />
    {currency && <span className="text-sm text-muted">{currency}</span>}
  </span>
)
