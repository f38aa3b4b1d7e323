import Check from 'lucide-react/icons/check'
import type { ReactNode } from 'react'
import { cx } from '#lib/classes.ts'

interface StepProps {
  readonly number: number
  readonly title: string
  readonly isDone: boolean
  readonly children: ReactNode
}

export const Step = ({ number, title, isDone, children }: StepProps) => (
  <li className="grid grid-cols-[minmax(0,1fr)] gap-x-4 gap-y-3 sm:grid-cols-[1.75rem_minmax(0,46rem)]">
    <span
      aria-hidden="true"
      className={cx(
        'figures grid size-7 place-items-center rounded-full border border-line-strong text-sm text-muted max-sm:hidden',
        isDone && 'border-accent bg-accent-soft text-accent',
      )}
    >
      {isDone ? <Check className="size-4" /> : number}
    </span>
    <div className="flex flex-col gap-3">
      <h2 className="flex items-center gap-2 pt-0.5 font-semibold">
        <span className="sm:hidden">{number}.</span>
        {title}
        {isDone && (
          <span className="flex items-center gap-1 text-sm font-normal text-accent">
            <Check className="size-4 sm:hidden" aria-hidden="true" />
            Done
          </span>
        )}
      </h2>
      {children}
    </div>
  </li>
)
