import { Root, Thumb } from 'radix-ui/switch'
import { type ReactNode, useId } from 'react'
import { Tooltip } from './tooltip.tsx'

interface SwitchProps {
  readonly label: ReactNode
  readonly hint?: ReactNode
  readonly isOn: boolean
  readonly onChange: (isOn: boolean) => void
  readonly disabledReason?: string | undefined
  /** The label is read out but not drawn. */
  readonly isLabelHidden?: boolean
}

export function Switch({ label, hint, isOn, onChange, disabledReason, isLabelHidden = false }: SwitchProps) {
  const id = useId()
  const isOff = disabledReason !== undefined
  const control = (
    <Root
      id={id}
      checked={isOn}
      aria-disabled={isOff || undefined}
      onCheckedChange={isOff ? undefined : onChange}
      {...(isOff ? { onClick: (event) => event.preventDefault() } : {})}
      aria-describedby={hint ? `${id}-hint` : undefined}
      className="relative mt-0.5 flex h-[18px] forced-color-adjust-none w-8 shrink-0 items-center rounded-full border border-transparent bg-line-strong transition-colors aria-disabled:cursor-not-allowed aria-disabled:opacity-55 aria-checked:bg-accent"
    >
      <Thumb className="block size-3.5 translate-x-px rounded-full bg-surface transition-transform data-[state=checked]:translate-x-[calc(1.125rem-3px)]" />
    </Root>
  )
  return (
    <div className="flex items-start gap-3">
      {isOff ? <Tooltip text={disabledReason}>{control}</Tooltip> : control}
      <div className={isLabelHidden ? 'sr-only' : ''}>
        <label htmlFor={id} className="text-sm font-medium">
          {label}
        </label>
        {hint && (
          <p id={`${id}-hint`} className="text-xs text-muted">
            {hint}
          </p>
        )}
      </div>
    </div>
  )
}
