import Check from 'lucide-react/icons/check'
import { cx } from '#lib/classes.ts'

interface Line {
  readonly from: 'us' | 'them'
  readonly text: string
  readonly isButton?: boolean
}

interface ChatProps {
  readonly lines: readonly Line[]
  readonly end?: string
}

/** A sketch of what the person sees. Hidden from screen readers, since the words beside it say the same. */
export const Chat = ({ lines, end }: ChatProps) => (
  <span
    aria-hidden="true"
    className="mt-2 flex min-h-28 flex-1 flex-col justify-end gap-1 rounded-md border bg-page p-2.5 text-xs"
  >
    {lines.map(({ from, text, isButton }) => (
      <span
        key={text}
        className={cx(
          'max-w-[88%] rounded-md px-2 py-1.5 [overflow-wrap:anywhere]',
          from === 'us' ? 'self-start bg-sunken' : 'self-end bg-accent text-on-accent',
          isButton && 'border border-line-strong bg-surface py-1 font-medium text-accent',
        )}
      >
        {text}
      </span>
    ))}
    {end && (
      <span className="mt-1 flex items-center gap-1 self-center text-muted">
        <Check className="size-3.5 text-accent" /> {end}
      </span>
    )}
  </span>
)
