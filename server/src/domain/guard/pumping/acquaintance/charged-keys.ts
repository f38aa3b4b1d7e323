/** The places that a send is charged to, and that its approval pays back. */
import type { Parents, PlaceKey } from '../place.ts'
import type { Charge } from './acquaintance.ts'

export const parentsOf = ({
  place,
  isKnown,
  isHome,
}: Pick<Charge, 'place' | 'isKnown' | 'isHome'>): Parents =>
  isKnown ? place.known : isHome ? place.home : place.abroad

/** What a send is charged to, from the address and the smallest range to the widest. */
export function keysOf(sent: Omit<Charge, 'atMs' | 'isScout'>): PlaceKey[] {
  const { place, isKnown, isHome, isNarrow, isSmallCarrier, isOnTrial, lanes } = sent
  const { issuer, carrier, country } = parentsOf(sent)
  // A carrier that stands out says nothing about the rest of its country, and a send in a lane says nothing about the
  // attack.
  const wider = isSmallCarrier ? [] : isNarrow ? [carrier] : [carrier, country]
  const wide = lanes.length > 0 ? [] : [...(issuer ? [issuer] : []), ...wider]
  if (isKnown) return wide
  return [
    ...(isOnTrial ? [place.trial] : []),
    ...(place.ip ? [place.ip] : []),
    ...place.ranges,
    ...wide,
    ...(isHome ? [] : [place.unfamiliar]),
  ]
}
