/** The places that a send is charged to, and that its approval pays back. */
import type { Charge } from './acquaintance.ts'
import type { Parents, PlaceKey } from './place.ts'

export const parentsOf = ({
  place,
  isKnown,
  isHome: home,
}: Pick<Charge, 'place' | 'isKnown' | 'isHome'>): Parents =>
  isKnown ? place.known : home ? place.home : place.abroad

/** What a send is charged to, from the address and the smallest range to the widest. */
export function keysOf(sent: Omit<Charge, 'atMs' | 'isScout'>): PlaceKey[] {
  const { place, isKnown, isHome: home, isNarrow, isIssuers, isOnTrial: onTrial, lanes } = sent
  const { issuer, carrier, country } = parentsOf(sent)
  // What stands out within a country says nothing about the rest of it, and what passes beside an attack nothing about it.
  const wider = isIssuers ? [] : isNarrow ? [carrier] : [carrier, country]
  const wide = lanes.length > 0 ? [] : [...(issuer ? [issuer] : []), ...wider]
  if (isKnown) return wide
  return [
    ...(onTrial ? [place.trial] : []),
    ...(place.ip ? [place.ip] : []),
    ...place.ranges,
    ...wide,
    ...(home ? [] : [place.unfamiliar]),
  ]
}
