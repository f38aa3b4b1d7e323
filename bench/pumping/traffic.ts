/** One send in a trace, before anything is decided. */
import type { Country } from './countries.ts'
import type { Random } from './random.ts'

export interface Send {
  /** Seconds since the start of the trace. */
  readonly t: number
  readonly recipient: string
  readonly clientIp: string | null
  readonly isFlagged: boolean
  readonly approvesAfter: number | null
  readonly label: string
  readonly country: Country
  /** Which of several apps of the company it belongs to. */
  readonly app?: string
}

export const daySeconds = 86_400
export const hourSeconds = 3_600

export const inOrder = (sends: readonly Send[]): Send[] => [...sends].sort((left, right) => left.t - right.t)

/** A residential address, one for each household. */
export const freshIp = (random: Random) =>
  `${80 + random.below(15)}.${random.below(256)}.${random.below(256)}.${1 + random.below(254)}`
/** An address of a data centre or VPN, which is on the lists. */
export const flaggedIp = (index: number) => `45.83.${Math.floor(index / 250)}.${1 + (index % 250)}`
export const natIp = (index: number) => `100.200.${Math.floor(index / 250)}.${1 + (index % 250)}`
