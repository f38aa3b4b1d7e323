import X from 'lucide-react/icons/x'
import type { ReactNode } from 'react'

interface Chip {
  readonly value: string
  readonly name: string
  readonly content: ReactNode
}

interface ChipsProps {
  readonly label: string
  readonly chips: readonly Chip[]
  readonly onRemove: (value: string) => void
  readonly isFixed: boolean
}

/** The chosen values, each with a button that removes it. */
export const Chips = ({ label, chips, onRemove, isFixed }: ChipsProps) =>
  chips.length === 0 ? null : (
    <ul aria-label={label} className="flex flex-wrap gap-1.5">
      {chips.map(({ value, name, content }) => (
        <li
          key={value}
          className="inline-flex items-center gap-1.5 rounded-md border border-line-strong bg-surface pl-2 text-sm"
        >
          <span className={isFixed ? 'py-0.5 pr-2' : 'py-0.5'}>{content}</span>
          {!isFixed && (
            <button
              type="button"
              aria-label={`Remove ${name}`}
              onClick={() => onRemove(value)}
              className="grid h-full min-h-6 w-6 place-items-center rounded-r-md text-faint hover:bg-sunken hover:text-ink pointer-coarse:w-9"
            >
              <X aria-hidden="true" className="size-3.5" />
            </button>
          )}
        </li>
      ))}
    </ul>
  )
