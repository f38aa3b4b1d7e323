import CircleAlert from 'lucide-react/icons/circle-alert'
import Info from 'lucide-react/icons/info'
import type { ReactNode } from 'react'
import { cx } from '#lib/classes.ts'

const tones = {
  plain: 'border-line-strong bg-sunken',
  warn: 'border-warn bg-warn-soft',
  bad: 'border-bad bg-bad-soft',
} as const
const icons = { plain: 'text-muted', warn: 'text-warn', bad: 'text-bad' } as const

interface RemarkProps {
  readonly tone?: keyof typeof tones
  readonly children: ReactNode
  readonly className?: string
}

/** A remark that belongs to what it stands beside. */
export const Remark = ({ tone = 'plain', children, className }: RemarkProps) => {
  const Icon = tone === 'plain' ? Info : CircleAlert
  return (
    <div className={cx('flex items-start gap-2 rounded-md border px-3 py-2 text-sm', tones[tone], className)}>
      <Icon aria-hidden="true" className={cx('mt-0.5 size-4 shrink-0', icons[tone])} />
      <div className="min-w-0">{children}</div>
    </div>
  )
}
