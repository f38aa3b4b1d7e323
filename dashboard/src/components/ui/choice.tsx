import { Indicator, Item, Root } from 'radix-ui/radio-group'
import { type ReactNode, useId } from 'react'
import { cx } from '#lib/classes.ts'

export interface ChoiceOption<Value extends string> {
  readonly value: Value
  readonly label: string
  readonly text: ReactNode
  readonly note?: ReactNode
}

interface ChoiceProps<Value extends string> {
  readonly label: string
  readonly value: Value
  readonly options: readonly ChoiceOption<Value>[]
  readonly onChange: (value: Value) => void
  readonly className?: string | undefined
}

/** A choice of one among a few options, each with an explanation. */
export function Choice<Value extends string>({
  label,
  value,
  options,
  onChange,
  className,
}: ChoiceProps<Value>) {
  const id = useId()
  return (
    <Root
      aria-label={label}
      value={value}
      onValueChange={(next) => {
        const chosen = options.find((option) => option.value === next)
        if (chosen) onChange(chosen.value)
      }}
      className={cx('grid gap-2', className)}
    >
      {options.map((option) => (
        <label
          key={option.value}
          htmlFor={`${id}-${option.value}`}
          className="flex gap-2.5 rounded-md border border-line-strong px-3 py-2.5 has-[[data-state=checked]]:border-accent has-[[data-state=checked]]:bg-accent-soft has-[:disabled]:cursor-not-allowed"
        >
          <Item
            id={`${id}-${option.value}`}
            value={option.value}
            aria-labelledby={`${id}-${option.value}-label`}
            aria-describedby={`${id}-${option.value}-text`}
            className="mt-0.5 grid size-4 shrink-0 place-items-center rounded-full border border-faint bg-surface data-[state=checked]:border-accent"
          >
            <Indicator className="size-2 rounded-full bg-accent" />
          </Item>
          <span className="flex min-w-0 flex-1 flex-col gap-0.5">
            <span id={`${id}-${option.value}-label`} className="text-sm font-medium">
              {option.label}
            </span>
            <span id={`${id}-${option.value}-text`} className="text-xs text-muted">
              {option.text}
            </span>
            {option.note}
          </span>
        </label>
      ))}
    </Root>
  )
}
