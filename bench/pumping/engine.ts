/** The guard's own rules on debts in memory. It decides what the service decides, without a database. */
import { type Loaded, Pumping, placeOf } from '../../server/src/domain/guard/pumping/index.ts'
import type { Send } from './traffic.ts'

export interface Decider {
  /** Null if the send goes out, otherwise the reason it was stopped. */
  readonly decide: (send: Send) => string | null
  readonly approve: (send: Send, t: number) => void
}

/** Any time other than zero will do. */
const epochMs = 1_800_000_000_000
export const msOf = (t: number) => epochMs + Math.round(t * 1000)
const firstApp = 'app'
const nothing: Loaded = { debts: [], fits: [], acquaintances: [], approvals: [] }

interface Engine extends Decider {
  /** For drawing what the places owe. */
  readonly pumping: Pumping
  /** Everything known so far, from which another engine can start. */
  readonly takeKnown: () => Loaded
}

export function createEngine(declaredCountries: readonly string[] = [], known: Loaded = nothing): Engine {
  const pumping = new Pumping(known)
  return {
    pumping,
    takeKnown: () => ({
      debts: pumping.changedDebts().map(({ key, debt }) => ({ name: key.name, debt })),
      fits: pumping.changedFits(),
      acquaintances: pumping.changedAcquaintances(),
      approvals: [],
    }),
    decide(send) {
      const { app = firstApp, recipient, isFlagged } = send
      const nowMs = msOf(send.t)
      const assessment = pumping.assess(app, recipient, placeOfSend(send), {
        isFlagged,
        declaredCountries,
        nowMs,
      })
      if (assessment.kind === 'repeated') return 'recipient'
      if (assessment.verdict.stop) {
        pumping.turnAway(app, recipient, assessment, nowMs)
        return assessment.verdict.stop.by.level
      }
      pumping.record(app, recipient, assessment, nowMs)
      return null
    },
    approve({ app = firstApp, recipient }, t) {
      pumping.approve({ appId: app, recipient, atMs: msOf(t) })
    },
  }
}

export const placeOfSend = ({ recipient, country, clientIp, app = firstApp }: Send) =>
  placeOf({ appId: app, number: recipient, region: country.region, ipKey: clientIp }, (prefix) => prefix)
