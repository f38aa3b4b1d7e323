import { type ComponentProps, useState } from 'react'
import { cx } from '#lib/classes.ts'
import { notWhole, tidyWhole, wholeOf } from '#lib/form/typed-number.ts'

/** Sixteen pixels on touch screens: smaller text makes phones zoom into the field. */
const control =
  'w-full rounded-md border border-line-strong bg-surface text-sm text-ink placeholder:text-faint pointer-coarse:text-[16px] ' +
  'hover:border-faint focus-visible:outline-offset-0 focus-visible:border-accent aria-invalid:border-bad ' +
  'disabled:bg-sunken disabled:text-muted disabled:cursor-not-allowed disabled:hover:border-line-strong'

export const Input = ({ className, ...rest }: ComponentProps<'input'>) => (
  <input
    autoComplete="off"
    spellCheck={false}
    {...rest}
    className={cx(control, 'h-8 px-2.5 pointer-coarse:h-10', className)}
  />
)

export const TextArea = ({ className, ...rest }: ComponentProps<'textarea'>) => (
  <textarea {...rest} className={cx(control, 'min-h-20 px-2.5 py-1.5', className)} />
)

/** The browser's own select, which every phone and screen reader supports. */
export const Select = ({ className, ...rest }: ComponentProps<'select'>) => (
  <select {...rest} className={cx(control, 'h-8 pr-7 pl-2 pointer-coarse:h-10', className)} />
)

interface NumberInputProps extends Omit<ComponentProps<'input'>, 'type' | 'value' | 'onChange' | 'onBlur'> {
  /** Null while nothing is typed: an empty field is no number. */
  readonly value: number | null
  readonly onValue: (value: number | null) => void
  readonly unit?: string | undefined
}

/** A whole number, right-aligned, followed by its unit. What is typed is shown until the field is left, then its value. */
export function NumberInput({ value, onValue, unit, className, ...rest }: NumberInputProps) {
  const [typed, setTyped] = useState('')
  const shown = Number.isFinite(value) ? String(value) : ''
  const change = (text: string) => {
    const tidied = tidyWhole(text)
    setTyped(tidied)
    onValue(wholeOf(tidied))
  }
  return (
    <span className={cx('flex items-center gap-2', className)}>
      <Input
        {...rest}
        inputMode="numeric"
        value={wholeOf(typed) === value ? typed : shown}
        onChange={({ target }) => change(target.value)}
        // What is no whole number stays: there is nothing else to show.
        onBlur={() => setTyped(value === notWhole ? typed : shown)}
        className="figures max-w-28 text-right"
      />
      {unit && <span className="text-sm text-muted">{unit}</span>}
    </span>
  )
}
