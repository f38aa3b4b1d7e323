/** Where a refusal is counted: in a country, and within it in the place that the guard had closed. */
import type { Decided } from '@countersign/contract'

type Stopped = Extract<Extract<Decided, { rule: 'pumping' }>['facts'], { because: 'stopped' }>

export interface Whereabouts {
  /** Null for email addresses and for texts that are no recipient. */
  readonly country: string | null
  readonly level: Stopped['level'] | null
  /** The place as people are shown it; null without a level, and for IP addresses, which are kept for less time. */
  readonly place: string | null
}

interface Refused {
  readonly country: string | null
  readonly decided: Decided
}

export function whereaboutsOf({ country, decided }: Refused): Whereabouts {
  if (decided.rule !== 'pumping' || decided.facts.because !== 'stopped')
    return { country, level: null, place: null }
  const { level, place } = decided.facts
  return { country, level, place: level === 'ip' ? null : place }
}
