import type { ReactNode } from 'react'

interface StatProps {
  readonly label: string
  readonly value: ReactNode
  readonly note?: ReactNode
}

export const Stat = ({ label, value, note }: StatProps) => (
  <div className="flex min-w-0 flex-col gap-0.5 bg-surface px-4 py-3">
    <dt className="text-xs text-muted">{label}</dt>
    <dd className="figures text-xl font-semibold tracking-tight">{value}</dd>
    {note && <dd className="figures text-xs text-faint">{note}</dd>}
  </div>
)

/** Figures side by side, separated by hairlines. */
export const Stats = ({ children }: { readonly children: ReactNode }) => (
  <dl className="grid grid-cols-2 gap-px overflow-hidden rounded-lg border bg-line sm:grid-cols-3 xl:grid-cols-6">
    {children}
  </dl>
)
