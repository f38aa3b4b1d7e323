import type { ComponentProps } from 'react'
import { cx } from '#lib/classes.ts'
import { pastedAmount, tidyAmount } from '#lib/form/typed-number.ts'
import { Input } from './input.tsx'

interface AmountInputProps extends Omit<ComponentProps<'input'>, 'type' | 'value' | 'onChange'> {
  /** As typed. */
  readonly value: string
  readonly onValue: (value: string) => void
  readonly currency?: string | null | undefined
}

const isByKey = (event: Event): boolean =>
  event instanceof InputEvent && !/^insertFrom/.test(event.inputType || 'insertFrom')

/** Money, right-aligned, followed by the currency. A comma counts as the decimal point. */
export const AmountInput = ({ value, onValue, currency, className, ...rest }: AmountInputProps) => (
  <span className="flex items-center gap-2">
    <Input
      {...rest}
      inputMode="decimal"
      value={value}
      onChange={({ target, nativeEvent }) =>
        onValue(isByKey(nativeEvent) ? tidyAmount(target.value) : pastedAmount(target.value))
      }
      className={cx('figures text-right', className)}
    />
    {currency && <span className="text-sm text-muted">{currency}</span>}
  </span>
)
