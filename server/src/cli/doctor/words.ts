/** Sentences with a number in them: what is one is said of one. */
import { sayDuration } from '@countersign/contract'
import { count } from '../../domain/insight/index.ts'

interface Waiting {
  readonly count: number
  readonly ageSeconds: number
}

const verb = (number: number, ofMany: string, ofOne: string) => (number === 1 ? ofOne : ofMany)
const forHowLong = ({ count: number, ageSeconds }: Waiting) =>
  number === 1 ? `for ${sayDuration(ageSeconds)}` : `the oldest for ${sayDuration(ageSeconds)}`

export const sayRoom = (days: number) => `There is room for ${count(Math.max(0, days), 'more day')}`
export const sayWaiting = (number: number) => `${number} ${verb(number, 'wait', 'waits')}.`
export const sayLate = (messages: Waiting) =>
  `${count(messages.count, 'message')} ${verb(messages.count, 'wait', 'waits')}, ${forHowLong(messages)}.`
export const sayHeld = (held: number, others: Waiting) =>
  `${held} ${verb(held, 'are', 'is')} held for paused endpoints; ${count(others.count, 'other')} ${verb(others.count, 'wait', 'waits')}, ${forHowLong(others)}.`
export const sayDaysLeft = (days: number) =>
  `${count(days, 'day')} ${verb(days, 'stay', 'stays')} until events of theirs that are held have gone`
