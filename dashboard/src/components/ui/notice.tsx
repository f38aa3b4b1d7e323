import CircleCheck from 'lucide-react/icons/circle-check'
import Info from 'lucide-react/icons/info'
import TriangleAlert from 'lucide-react/icons/triangle-alert'
import type { ReactNode } from 'react'
import { cx } from '#lib/classes.ts'

const looks = {
  warn: [TriangleAlert, 'border-warn bg-warn-soft', 'text-warn'],
  good: [CircleCheck, 'border-accent bg-accent-soft', 'text-accent'],
  plain: [Info, 'bg-page', 'text-faint'],
} as const

interface NoticeProps {
  readonly tone: keyof typeof looks
  readonly title: ReactNode
  readonly children?: ReactNode
  readonly actions?: ReactNode
}

/** Something that has to be seen before the rest of the page, and what can be done about it. */
export function Notice({ tone, title, children, actions }: NoticeProps) {
  const [Icon, box, colour] = looks[tone]
  return (
    <div className={cx('flex gap-3 rounded-md border px-3.5 py-3 text-sm', box)}>
      <Icon className={cx('mt-0.5 size-4 shrink-0', colour)} aria-hidden="true" />
      <div className="flex min-w-0 flex-1 flex-wrap items-start justify-between gap-x-6 gap-y-3">
        <div className="flex min-w-0 flex-1 basis-72 flex-col gap-1">
          <p className="font-medium">{title}</p>
          {children && <div className="flex max-w-prose flex-col gap-1 text-muted">{children}</div>}
        </div>
        {actions && <div className="flex flex-wrap gap-2 print:hidden">{actions}</div>}
      </div>
    </div>
  )
}
