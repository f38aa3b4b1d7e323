import type { ChannelName, MessageProblem, OtpStatus } from '@countersign/contract'
import { refusingRules } from '@countersign/contract/words'
import { channelNames, countryCodes, otpStatuses } from '#contract'

export interface VerificationsSearch {
  /** Shows only verifications or only refusals; both if absent. */
  readonly view?: 'started' | 'refused' | undefined
  /** Filters refusals. */
  readonly rule?: string | undefined
  readonly status?: OtpStatus | undefined
  readonly channel?: ChannelName | undefined
  readonly country?: string | undefined
  /** What went wrong with a message. */
  readonly problem?: MessageProblem | undefined
  /** Days in the format of a date field; the last one is included. */
  readonly from?: string | undefined
  readonly to?: string | undefined
}

const views = ['started', 'refused'] as const
export const messageProblems: readonly MessageProblem[] = ['failed_delivery', 'error']

/** While somebody types 2026, the field has the year 2, which is no day yet. */
export const isDay = (text: string): boolean =>
  /^2\d{3}-\d{2}-\d{2}$/.test(text) && !Number.isNaN(Date.parse(text))

export const isBackwards = ({ from, to }: Pick<VerificationsSearch, 'from' | 'to'>): boolean =>
  from !== undefined && to !== undefined && from > to

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
