/** Plays sends to the guard in memory, with a clock that the test moves. */
import { type Debt, noDebt } from '../../src/domain/guard/pumping/debt/debt.ts'
import { noFit } from '../../src/domain/guard/pumping/fit/fit.ts'
import type { Stop } from '../../src/domain/guard/pumping/index.ts'
import { longestTrial, type PlaceLevel } from '../../src/domain/guard/pumping/levels.ts'
import { placeOf } from '../../src/domain/guard/pumping/place.ts'
import { type Loaded, Pumping } from '../../src/domain/guard/pumping/pumping.ts'
import { decodeDebt, encodeDebt } from '../../src/domain/guard/pumping/stored/debt-text.ts'

const startMs = 1_800_000_000_000
export const minuteMs = 60_000
export const hourMs = 60 * minuteMs
const appId = 'app'
const nothing: Loaded = { debts: [], fits: [], acquaintances: [], approvals: [] }
/** An app whose trial is over. */
const grown = { ...nothing, debts: [{ name: ' trial/', debt: { ...noDebt, numbers: longestTrial } }] }
/** An app of which the guard knows that three quarters of its people type the code. */
const settled = {
  ...grown,
  fits: [
    {
      appId,
      fit: {
        ...noFit,
        atMs: startMs,
        sinceMs: startMs - 30 * 24 * hourMs,
        strangers: { numbers: 4_000, approved: 3_300 },
      },
    },
  ],
}

interface Held {
  readonly level: PlaceLevel | 'recipient'
  readonly untilMs: number
  readonly isHold: boolean
}

interface PlayOptions {
  readonly declaredCountries?: readonly string[]
  readonly isFlagged?: boolean
  /** A new app, which is still on trial. */
  readonly isFresh?: boolean
  /** An app with a history in another place. */
  readonly isSettled?: boolean
  /** In mode `auto`, with a real carrier. */
  readonly learns?: boolean
  readonly declaredConversion?: number
  readonly scoutsAnHour?: number
  /** A held send gets a link instead. */
  readonly hasLink?: boolean
  /** Each send is its own batch, which reads debts as the batch before has written them. */
  readonly isStored?: boolean
}

export class Play {
  nowMs = startMs
  /** Whether the simulator carries the following sends. */
  isSimulated = false
  pumping: Pumping
  /** What would have stopped the last send of an app that does not learn. */
  watched: Stop | null = null
  readonly #options: PlayOptions
  #approvals: { atMs: number; number: string }[] = []
  readonly #stored: Stored

  constructor(options: PlayOptions = {}) {
    this.#options = options
    const known = options.isFresh ? nothing : options.isSettled ? settled : grown
    this.pumping = new Pumping(known)
    this.#stored = new Stored(known)
  }

  /** Null if the send went out. */
  attempt(number: string, region = 'AZ', ipKey: string | null = null, app = appId): Held | null {
    const {
      isFlagged = false,
      declaredCountries = [],
      learns = false,
      declaredConversion,
      scoutsAnHour,
    } = this.#options
    if (this.#options.isStored) this.pumping = this.#stored.again(this.pumping)
    const place = placeOf({ appId: app, number, region, ipKey }, (prefix) => prefix)
    const assessment = this.pumping.assess(app, number, place, {
      isFlagged,
      declaredCountries,
      nowMs: this.nowMs,
      learns: learns && !this.isSimulated,
      isSimulated: this.isSimulated,
      declaredConversion: declaredConversion ?? null,
      ...(scoutsAnHour === undefined ? {} : { scoutsAnHour }),
    })
    this.watched = assessment.kind === 'verdict' ? assessment.verdict.watched : null
    if (assessment.kind === 'repeated')
      return { level: 'recipient', untilMs: assessment.untilMs, isHold: false }
    const { stop } = assessment.verdict
    if (stop) {
      this.pumping.turnAway(app, number, assessment, this.nowMs)
      if (this.#options.hasLink) this.pumping.sendElsewhere(app, number, assessment, this.nowMs)
      return { level: stop.by.level, untilMs: stop.untilMs, isHold: stop.isHold }
    }
    this.pumping.record(app, number, assessment, this.nowMs)
    return null
  }

  send = (number: string, region?: string, ipKey?: string | null, app?: string) =>
    this.attempt(number, region, ipKey, app) === null

  approve(number: string): void {
    this.pumping.approve({ appId, recipient: number, atMs: this.nowMs })
  }

  /** The approval happens when the clock gets there. */
  approveLater(number: string, afterMs: number): void {
    this.#approvals.push({ atMs: this.nowMs + afterMs, number })
  }

  wait(ms: number): void {
    const endMs = this.nowMs + ms
    const due = this.#approvals.filter(({ atMs }) => atMs <= endMs)
    this.#approvals = this.#approvals.filter(({ atMs }) => atMs > endMs)
    for (const { atMs, number } of due.sort((left, right) => left.atMs - right.atMs)) {
      this.nowMs = atMs
      this.approve(number)
    }
    this.nowMs = endMs
  }
}

/** The guard's tables as they are after each batch. */
class Stored {
  readonly #debts: Map<string, Debt>
  readonly #fits: Map<string, Loaded['fits'][number]>
  readonly #acquaintances = new Map<string, Loaded['acquaintances'][number]>()

  constructor({ debts, fits }: Loaded) {
    this.#debts = new Map(debts.map(({ name, debt }) => [name, debt]))
    this.#fits = new Map(fits.map((loaded) => [loaded.appId, loaded]))
  }

  again(pumping: Pumping): Pumping {
    for (const { key, debt } of pumping.changedDebts())
      this.#debts.set(key.name, decodeDebt(encodeDebt(key.level, debt)))
    for (const loaded of pumping.changedFits()) this.#fits.set(loaded.appId, loaded)
    for (const loaded of pumping.changedAcquaintances())
      this.#acquaintances.set(`${loaded.appId} ${loaded.recipient}`, { ...loaded, isStored: true })
    return new Pumping({
      debts: [...this.#debts].map(([name, debt]) => ({ name, debt })),
      fits: [...this.#fits.values()],
      acquaintances: [...this.#acquaintances.values()],
      approvals: [],
    })
  }
}

/** Numbers with a prefix, no two near each other. */
export const spread = (prefix: string, count: number, digits: number): string[] =>
  Array.from(
    { length: count },
    (_, index) => `${prefix}${String((index * 7_907_919 + 11) % 10 ** digits).padStart(digits, '0')}`,
  )

export const passed = (play: Play, numbers: readonly string[], region = 'AZ') =>
  numbers.filter((number) => play.send(number, region)).length
