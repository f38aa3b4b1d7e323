import type { AnswerKind, EventType, ListedEventStatus } from '@countersign/contract'
import { answerKinds, eventStatuses, eventTypes } from '#contract'

export interface EventsFilter {
  readonly type?: EventType | undefined
  readonly status?: ListedEventStatus | undefined
  readonly endpoint?: string | undefined
  /** At least this many attempts. */
  readonly attempts?: number | undefined
  readonly answer?: AnswerKind | undefined
}

export interface EventsSearch extends EventsFilter {
  /** The event whose attempts are shown. */
  readonly event?: string | undefined
}

const attemptCounts: readonly number[] = [1, 2, 5]

export const parseEventsSearch = (search: Record<string, unknown>): EventsSearch => ({
  type: eventTypes.find((type) => type === search.type),
  status: eventStatuses.find((status) => status === search.status),
  endpoint: idOf('end', search.endpoint),
  attempts: attemptCounts.find((count) => count === search.attempts),
  answer: answerKinds.find((answer) => answer === search.answer),
  event: idOf('evt', search.event),
})

const idOf = (prefix: string, value: unknown) =>
  typeof value === 'string' && value.startsWith(`${prefix}_`) && /^\w{1,64}$/.test(value) ? value : undefined

export const isFiltered = ({ type, status, endpoint, attempts, answer }: EventsFilter): boolean =>
  [type, status, endpoint, attempts, answer].some((value) => value !== undefined)
