import type { ReactNode } from 'react'

interface StepProps {
  readonly number: number
  readonly title: string
  readonly children: ReactNode
}

export const Step = ({ number, title, children }: StepProps) => (
  <li className="grid grid-cols-[minmax(0,1fr)] gap-x-4 gap-y-3 sm:grid-cols-[1.75rem_minmax(0,46rem)]">
    <span
      aria-hidden="true"
      className="figures grid size-7 place-items-center rounded-full border border-line-strong text-sm text-muted max-sm:hidden"
    >
      {number}
    </span>
    <div className="flex flex-col gap-3">
      <h2 className="pt-0.5 font-semibold">{title}</h2>
      {children}
    </div>
  </li>
)
