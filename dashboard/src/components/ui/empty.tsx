import type { ReactNode } from 'react'
import { cx } from '#lib/classes.ts'

interface EmptyProps {
  readonly title: string
  readonly children?: ReactNode
  readonly action?: ReactNode
  readonly icon?: ReactNode
  readonly className?: string
}

/** Says that there is nothing here yet, and what would change that. */
export const Empty = ({ title, children, action, icon, className }: EmptyProps) => (
  <div className={cx('flex flex-col items-center gap-2 px-6 py-12 text-center', className)}>
    {icon && (
      <span aria-hidden="true" className="mb-1 text-faint [&_svg]:size-6 [&_svg]:stroke-[1.5]">
        {icon}
      </span>
    )}
    <p className="font-medium">{title}</p>
    {children && <div className="max-w-md text-sm text-muted">{children}</div>}
    {action && <div className="mt-2 flex flex-wrap justify-center gap-2">{action}</div>}
  </div>
)
