/** Small things that every page shows in the same way. */
import type { ChannelName, DeliveryStatus, OtpStatus } from '@countersign/contract'
import type { ReactNode } from 'react'
import {
  channelLabels,
  countryName,
  deliveryStatusLabels,
  formatExact,
  formatRelative,
  otpStatusLabels,
} from '#lib/format.ts'
import { type Decimals, formatMoney, useCurrency } from '#lib/money.ts'
import { useNow } from '#lib/use-now.ts'
import { Status } from './badge.tsx'

const refreshMs = 20_000

interface TimeProps {
  readonly value: string | null
  readonly otherwise?: ReactNode
}

/** How long ago, and exactly when on hover: for rows that can be opened, where the exact time is shown. */
export function Time({ value, otherwise = '—' }: TimeProps) {
  const now = useNow(refreshMs)
  if (value === null) return <span className="text-faint">{otherwise}</span>
  return (
    <time
      dateTime={value}
      title={formatExact(value)}
      data-exact={inTwoLines(value)}
      className="whitespace-nowrap print:whitespace-normal print:after:content-[attr(data-exact)]"
    >
      <span className="print:hidden">{formatRelative(value, now)}</span>
    </time>
  )
}

/** How long ago and exactly when, for rows that cannot be opened: fingers and keys do not hover. */
export const WholeTime = ({ value }: { readonly value: string }) => (
  <>
    <span className="print:hidden">
      <Time value={value} />
    </span>
    <span className="block text-xs text-faint">{inTwoLines(value)}</span>
  </>
)

/** The line breaks only between the day and the time. */
const inTwoLines = (value: string): string => formatExact(value).replaceAll(/(?<!,) /g, '\u00a0')

export const ExactTime = ({ value }: { readonly value: string }) => (
  <time dateTime={value} title={formatRelative(value)} className="whitespace-nowrap">
    {formatExact(value)}
  </time>
)

interface MoneyProps {
  readonly amount: string
  readonly decimals?: Decimals
}

export const Money = ({ amount, decimals = 'all' }: MoneyProps) => (
  <span className="figures whitespace-nowrap">{formatMoney(amount, useCurrency(), decimals)}</span>
)

export const Country = ({ code }: { readonly code: string | null }) =>
  code === null ? (
    <span className="text-faint">—</span>
  ) : (
    // In a small window a long name wraps, and takes no room from the columns beside it.
    <span className="xl:whitespace-nowrap">
      <span className="mr-1.5 font-mono text-xs text-faint">{code}</span>
      {countryName(code)}
    </span>
  )

export const Channel = ({ name }: { readonly name: ChannelName }) => <>{channelLabels[name]}</>

export function VerificationStatus({ status }: { readonly status: OtpStatus }) {
  const [label, tone] = otpStatusLabels[status]
  return <Status tone={tone}>{label}</Status>
}

export function DeliveryState({ status }: { readonly status: DeliveryStatus | null }) {
  if (status === null) return <span className="text-faint">—</span>
  const [label, tone] = deliveryStatusLabels[status]
  return <Status tone={tone}>{label}</Status>
}
