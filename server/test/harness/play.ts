/** Plays sends to the guard in memory, on a clock of the test's. */
import { noDebt } from '../../src/domain/guard/pumping/debt.ts'
import type { Stop } from '../../src/domain/guard/pumping/index.ts'
import { longestTrial } from '../../src/domain/guard/pumping/levels.ts'
import { placeOf } from '../../src/domain/guard/pumping/place.ts'
import { Pumping } from '../../src/domain/guard/pumping/pumping.ts'

const startMs = 1_800_000_000_000
export const minuteMs = 60_000
export const hourMs = 60 * minuteMs
const appId = 'app'
const nothing = { debts: [], acquaintances: [], approvals: [] }
/** An app that nobody is trying out any more. */
const grown = { ...nothing, debts: [{ appId, name: 'trial/', debt: { ...noDebt, numbers: longestTrial } }] }

interface PlayOptions {
  readonly declaredCountries?: readonly string[]
  readonly isFlagged?: boolean
  /** A new app, which is still on trial. */
  readonly isFresh?: boolean
  /** In mode `auto`, with a real carrier. */
  readonly learns?: boolean
}

export class Play {
  nowMs = startMs
  readonly pumping: Pumping
  /** What would have stopped the last send of an app that does not learn. */
  watched: Stop | null = null
  readonly #options: PlayOptions
  #approvals: { atMs: number; number: string }[] = []

  constructor(options: PlayOptions = {}) {
    this.#options = options
    this.pumping = new Pumping(options.isFresh ? nothing : grown)
  }

  /** Null when it went out. */
  attempt(number: string, region = 'AZ', ipKey: string | null = null): Stop | null {
    const { isFlagged = false, declaredCountries = [], learns = false } = this.#options
    const place = placeOf({ number, region, ipKey }, (prefix) => prefix)
    const circumstances = { isFlagged, declaredCountries, nowMs: this.nowMs, learns }
    const assessment = this.pumping.assess(appId, number, place, circumstances)
    this.watched = assessment.kind === 'verdict' ? assessment.verdict.watched : null
    if (assessment.kind === 'verdict' && assessment.verdict.stop) return assessment.verdict.stop
    this.pumping.record(appId, number, assessment, this.nowMs)
    return null
  }

  send = (number: string, region?: string, ipKey?: string | null) =>
    this.attempt(number, region, ipKey) === null

  approve(number: string): void {
    this.pumping.approve({ appId, recipient: number, atMs: this.nowMs })
  }

  /** The approval comes when the clock gets there. */
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

/** Numbers below a prefix, no two near each other. */
export const spread = (prefix: string, count: number, digits: number): string[] =>
  Array.from(
    { length: count },
    (_, index) => `${prefix}${String((index * 7_907_919 + 11) % 10 ** digits).padStart(digits, '0')}`,
  )

export const passed = (play: Play, numbers: readonly string[], region = 'AZ') =>
  numbers.filter((number) => play.send(number, region)).length
