import type { ReactNode } from 'react'
import { cx } from '#lib/classes.ts'
import type { Tone } from '#lib/format.ts'

const dots: Readonly<Record<Tone, string>> = {
  good: 'bg-accent',
  warn: 'bg-warn',
  bad: 'bg-bad',
  quiet: 'bg-line-strong',
  busy: 'border-[1.5px] border-accent bg-transparent',
}

interface StatusProps {
  readonly tone: Tone
  readonly children: ReactNode
}

/** A state as a word, with a dot that helps the eye down a column. */
export const Status = ({ tone, children }: StatusProps) => (
  <span className="inline-flex items-center gap-1.5 whitespace-nowrap">
    <span aria-hidden="true" className={cx('size-2 shrink-0 rounded-full', dots[tone])} />
    {children}
  </span>
)

interface BadgeProps {
  readonly children: ReactNode
  readonly tone?: 'plain' | 'accent' | 'warn' | 'bad'
}

const badges = {
  plain: 'border-line-strong text-muted',
  accent: 'border-accent text-accent',
  warn: 'border-warn text-warn',
  bad: 'border-bad text-bad',
} as const

export const Badge = ({ children, tone = 'plain' }: BadgeProps) => (
  <span
    className={cx(
      'inline-flex items-center rounded-sm border px-1.5 text-xs leading-[1.5] whitespace-nowrap',
      badges[tone],
    )}
  >
    {children}
  </span>
)
