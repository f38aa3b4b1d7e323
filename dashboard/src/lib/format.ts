/** Figures, times and names as people read them. */
import type { ChannelName, DeliveryStatus, OtpStatus } from '@countersign/contract'
import { zoned } from './time-zone.ts'

const countFormat = new Intl.NumberFormat('en')
const compactFormat = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 })
const shareFormat = new Intl.NumberFormat('en', {
  style: 'percent',
  minimumFractionDigits: 1,
  maximumFractionDigits: 1,
})
const wholeShareFormat = new Intl.NumberFormat('en', { style: 'percent', maximumFractionDigits: 0 })

export const formatCount = (count: number): string => countFormat.format(count)
export const formatCompact = (count: number): string => compactFormat.format(count)
export const formatShare = (share: number | null): string =>
  share === null ? '—' : shareFormat.format(share)
export const formatWholeShare = (share: number): string => wholeShareFormat.format(share)
export const plural = (count: number, one: string, many = `${one}s`): string =>
  `${formatCount(count)} ${count === 1 ? one : many}`

/** `42 s`, `3 min`, `2 h 5 min`: two units at most. */
export function formatSeconds(seconds: number): string {
  if (seconds < 10) return `${Number(seconds.toFixed(1))} s`
  if (seconds < 60) return `${Math.round(seconds)} s`
  const units = [
    ['d', 86_400],
    ['h', 3_600],
    ['min', 60],
    ['s', 1],
  ] as const
  const parts: string[] = []
  let left = Math.round(seconds)
  for (const [unit, size] of units) {
    const count = Math.floor(left / size)
    if (count > 0) parts.push(`${count} ${unit}`)
    left -= count * size
    if (parts.length === 2) break
  }
  return parts.join(' ')
}

export const formatExact = zoned({
  day: 'numeric',
  month: 'short',
  year: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  timeZoneName: 'short',
})
export const formatClock = zoned({ hour: '2-digit', minute: '2-digit', second: '2-digit' })
export const formatDate = zoned({ day: 'numeric', month: 'short', year: 'numeric' })

const relativeFormat = new Intl.RelativeTimeFormat('en', { numeric: 'auto', style: 'short' })
const relativeUnits = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
] as const
const sameAsDateAfterDays = 7

/** `3 min ago` for the last week, then the date. */
export function formatRelative(time: string, now = Date.now()): string {
  const seconds = (new Date(time).getTime() - now) / 1_000
  if (Math.abs(seconds) > sameAsDateAfterDays * 86_400) return formatDate(time)
  for (const [unit, size] of relativeUnits) {
    // Times to come are rounded: an invitation that was made just now is valid for seven days, not six.
    const count = seconds > 0 ? Math.round(seconds / size) : Math.trunc(seconds / size)
    if (count !== 0 && Math.abs(seconds) >= size) return relativeFormat.format(count, unit)
  }
  return seconds > 0 ? 'in a moment' : 'just now'
}

const regionNames = new Intl.DisplayNames('en', { type: 'region' })
export const countryName = (code: string): string => regionNames.of(code) ?? code

const languageNames = new Intl.DisplayNames('en', { type: 'language' })
export const languageName = (tag: string): string => languageNames.of(tag) ?? tag

export const channelLabels: Readonly<Record<ChannelName, string>> = {
  sms: 'SMS',
  whatsapp: 'WhatsApp',
  telegram: 'Telegram',
  email: 'Email',
}

export type Tone = 'good' | 'warn' | 'bad' | 'quiet' | 'busy'

export const otpStatusLabels: Readonly<Record<OtpStatus, readonly [label: string, tone: Tone]>> = {
  pending: ['Pending', 'busy'],
  approved: ['Approved', 'good'],
  failed: ['Failed', 'bad'],
  expired: ['Expired', 'quiet'],
}

export const deliveryStatusLabels: Readonly<Record<DeliveryStatus, readonly [label: string, tone: Tone]>> = {
  queued: ['Queued', 'busy'],
  sent: ['Sent', 'busy'],
  delivered: ['Delivered', 'good'],
  failed: ['Failed', 'bad'],
}
