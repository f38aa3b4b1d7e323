import type { ReactNode } from 'react'
import { useId } from 'react'
import { cx } from '#lib/classes.ts'

interface CardProps {
  readonly title?: ReactNode
  readonly description?: ReactNode
  readonly actions?: ReactNode
  readonly footer?: ReactNode
  readonly children: ReactNode
  readonly className?: string
  /** Without padding, for tables, which have their own. */
  readonly isFlush?: boolean
}

export function Card({
  title,
  description,
  actions,
  footer,
  children,
  className,
  isFlush = false,
}: CardProps) {
  const id = useId()
  return (
    <section
      aria-labelledby={title ? id : undefined}
      className={cx(
        'flex min-w-0 flex-col overflow-hidden rounded-lg border bg-surface print:block print:overflow-visible',
        className,
      )}
    >
      {(title || actions) && (
        <header className="flex break-after-avoid flex-wrap items-start justify-between gap-x-4 gap-y-2 px-4 pt-3.5 pb-1">
          <div className="min-w-0">
            <h2 id={id} className="text-sm font-semibold">
              {title}
            </h2>
            {description && <p className="mt-0.5 max-w-prose text-sm text-muted">{description}</p>}
          </div>
          {actions && <div className="flex flex-wrap items-center gap-2">{actions}</div>}
        </header>
      )}
      <div className={cx('min-w-0 flex-1', isFlush ? 'pt-2' : 'px-4 pt-2.5 pb-4')}>{children}</div>
      {footer && (
        <footer className="flex flex-wrap items-center gap-2 border-t bg-page px-4 py-2.5">{footer}</footer>
      )}
    </section>
  )
}
