import { Item, Root } from 'radix-ui/toggle-group'

interface SegmentedProps<Value extends string> {
  readonly label: string
  readonly value: Value
  readonly options: readonly (readonly [value: Value, label: string])[]
  readonly onChange: (value: Value) => void
  readonly disabled?: boolean
}

/** A choice of one among a few options, all in sight. */
export const Segmented = <Value extends string>({
  label,
  value,
  options,
  onChange,
  disabled = false,
}: SegmentedProps<Value>) => (
  <Root
    type="single"
    aria-label={label}
    value={value}
    disabled={disabled}
    onValueChange={(next) => {
      const chosen = options.find(([option]) => option === next)
      if (chosen) onChange(chosen[0])
    }}
    className="inline-flex rounded-md border border-line-strong bg-surface p-0.5"
  >
    {options.map(([option, text]) => (
      <Item
        key={option}
        value={option}
        className="h-6.5 rounded-sm px-2.5 text-sm text-muted hover:text-ink data-[state=on]:bg-sunken data-[state=on]:font-medium data-[state=on]:text-ink pointer-coarse:h-8.5"
      >
        {text}
      </Item>
    ))}
  </Root>
)
