/** The words for whom the guard against pumping held back, and whether they were people. */
import type { HeldPeopleAnswer } from '@countersign/contract'
import { formatCount, plural } from '#lib/format.ts'

const dayMs = 86_400_000

/** Whole days in UTC, as the service counts them. The last of them was `daysAgo`. */
const periods = {
  today: { label: 'Today', when: 'Today', days: 1, daysAgo: 0 },
  yesterday: { label: 'Yesterday', when: 'Yesterday', days: 1, daysAgo: 1 },
  '7d': { label: '7 days', when: 'In the last 7 days', days: 7, daysAgo: 0 },
  '30d': { label: '30 days', when: 'In the last 30 days', days: 30, daysAgo: 0 },
} as const

export const heldPeriods = ['today', 'yesterday', '7d', '30d'] as const
export type HeldPeriod = (typeof heldPeriods)[number]

export const heldPeriodLabel = (period: HeldPeriod): string => periods[period].label

export function heldRange(period: HeldPeriod, now: number): { readonly from: string; readonly to: string } {
  const { days, daysAgo } = periods[period]
  const end = (Math.floor(now / dayMs) + 1 - daysAgo) * dayMs
  return { from: new Date(end - days * dayMs).toISOString(), to: new Date(end).toISOString() }
}

export function heldInWords(period: HeldPeriod, held: HeldPeopleAnswer): string {
  const { when } = periods[period]
  const { held_sends, people, is_complete } = held
  if (held_sends === 0) return `${when} nobody was held back.`
  const sends = plural(held_sends, 'message')
  const were = held_sends === 1 ? 'was' : 'were'
  if (people === 0) return `${when} ${sends} ${were} held back. The recipients are no longer stored.`
  const whom = `${is_complete ? '' : 'at least '}${plural(people, 'number')}`
  return `${when} ${sends} to ${whom} ${were} held back. ${sinceInWords(held)}`
}

function sinceInWords({ people, approved_later, is_complete }: HeldPeopleAnswer): string {
  const them = is_complete ? 'them' : 'those that are known'
  if (approved_later === 0) return `None of ${them} has been verified since.`
  const all = people === 1 ? 'It' : `All of ${them}`
  const which = approved_later === people ? all : `${formatCount(approved_later)} of ${them}`
  const [was, belongs] =
    approved_later === 1 ? ['was', 'it belongs to a person'] : ['were', 'they belong to people']
  return `${which} ${was} verified later or another way: ${belongs}.`
}

export const wereMostlyPeople = ({ people, approved_later }: HeldPeopleAnswer): boolean =>
  approved_later * 2 > people
