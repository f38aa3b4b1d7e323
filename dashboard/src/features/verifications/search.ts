import type { ChannelName, MessageProblem, OtpStatus } from '@countersign/contract'
import { refusingRules } from '@countersign/contract/words'
import { channelNames, countryCodes, otpStatuses } from '#contract'

export interface VerificationsSearch {
  /** What was started and what was refused, unless only one of them is meant. */
  readonly view?: 'started' | 'refused' | undefined
  /** A filter of refusals. */
  readonly rule?: string | undefined
  readonly status?: OtpStatus | undefined
  readonly channel?: ChannelName | undefined
  readonly country?: string | undefined
  /** What went wrong with a message. */
  readonly problem?: MessageProblem | undefined
  /** Days, as a date field has them; the last one counts whole. */
  readonly from?: string | undefined
  readonly to?: string | undefined
}

const views = ['started', 'refused'] as const
export const messageProblems: readonly MessageProblem[] = ['failed_delivery', 'error']

/** A field has the year 2 while somebody types 2026. */
export const isDay = (text: string): boolean =>
  /^2\d{3}-\d{2}-\d{2}$/.test(text) && !Number.isNaN(Date.parse(text))

const day = (value: unknown) => (typeof value === 'string' && isDay(value) ? value : undefined)

export const parseVerificationsSearch = (search: Record<string, unknown>): VerificationsSearch => ({
  view: views.find((view) => view === search.view),
  rule: refusingRules.find((rule) => rule === search.rule),
  status: otpStatuses.find((status) => status === search.status),
  channel: channelNames.find((channel) => channel === search.channel),
  problem: messageProblems.find((problem) => problem === search.problem),
  country: countryCodes.find((code) => code === search.country),
  from: day(search.from),
  to: day(search.to),
})
