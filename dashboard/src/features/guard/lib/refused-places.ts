/** The words for where and when something was refused. */
import type { RefusalStatsAnswer } from '@countersign/contract'
import { ruleName } from '@countersign/contract/words'
import { placeInWords } from '#lib/block-words.ts'
import { countryName } from '#lib/format.ts'
import { type Span, spanTitle } from '#lib/period.ts'

export type RefusedPlace = RefusalStatsAnswer['places'][number]

const nowhere = 'No country'

/** `where` names the place, `what` says what kind of place it is. */
export function refusedPlaceInWords({ country, level, place }: RefusedPlace) {
  const home = country ? countryName(country) : nowhere
  if (level === null) return { where: home, what: country ? null : 'Email addresses and invalid numbers' }
  if (place === null) return { where: home, what: 'Client addresses' }
  const { where, what } = placeInWords({ level, place })
  return { where, what: where.startsWith(home) ? what : `${what}, ${home}` }
}

/** The key of a place, which may be listed once for each rule. */
export const refusedPlaceKey = ({ rule, country, level, place }: RefusedPlace): string =>
  [rule, country, level, place].join(' ')

export const refusedPlaceName = (place: RefusedPlace): string =>
  `${refusedPlaceInWords(place).where}: ${ruleName(place.rule)}`

/** The first and the last hour or day, in words. */
export function whenInWords(span: Span, { points }: RefusedPlace): string {
  const [first, last] = [points[0], points.at(-1)].map((point) =>
    point ? spanTitle(span, point.starts_at) : '',
  )
  return first === last ? `${first}` : `${first} – ${last}`
}
