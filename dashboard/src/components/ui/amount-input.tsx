import { type ComponentProps, useState } from 'react'
import { cx } from '#lib/classes.ts'
import { amountOf, tidyAmount } from '#lib/form/typed-number.ts'
import { Input } from './input.tsx'

interface AmountInputProps extends Omit<ComponentProps<'input'>, 'type' | 'value' | 'onChange' | 'onBlur'> {
  readonly value: string
  readonly onValue: (value: string) => void
  readonly currency?: string | null | undefined
}

/** Money, right-aligned, followed by the currency. What is typed is shown until the field is left, then what it means. */
export function AmountInput({ value, onValue, currency, className, ...rest }: AmountInputProps) {
  const [typed, setTyped] = useState('')
  const change = (text: string) => {
    const tidied = tidyAmount(text)
    setTyped(tidied)
    onValue(amountOf(tidied))
  }
  return (
    <span className="flex items-center gap-2">
      <Input
        {...rest}
        inputMode="decimal"
        value={amountOf(typed) === value ? typed : value}
        onChange={({ target }) => change(target.value)}
        onBlur={() => setTyped('')}
        className={cx('figures text-right', className)}
      />
      {currency && <span className="text-sm text-muted">{currency}</span>}
    </span>
  )
}
