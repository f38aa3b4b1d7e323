/** One page of a backtest: fills the counts from the sends before it, then looks at its own sends. */
import type { Database, Tenant } from '../../../platform/database.ts'
import { timeOfId } from '../../../platform/ids.ts'
import type { Keyring } from '../../../platform/keyring.ts'
import type { ReadPrices } from '../../billing/index.ts'
import { recipientContext } from '../../delivery/index.ts'
import { canonicalPhone, type Reputation } from '../../guard/index.ts'
import type { App } from '../../tenancy/index.ts'
import type { CompiledRules } from '../../verification/index.ts'
import { isAsked, positionAt, type Recorded } from './recorded.ts'
import { Replay, type ReplayContext } from './replay.ts'
import { positionBefore, type Range, readChunk, readFirstApprovals } from './store.ts'
import { Sums } from './sums.ts'

export interface BacktestDependencies {
  readonly database: Database
  readonly reputation: Pick<Reputation, 'countryOf'>
  readonly keyring: () => Keyring
  readonly prices: ReadPrices
}

/** The bounds of one page. */
export interface BacktestBounds {
  readonly sends: number
  readonly ms: number
  /** The bounds of what is read before the page, to fill its counts: rows of sends, and as many of refusals. */
  readonly warmingRows: number
  readonly warmingMs: number
  readonly nowMs: () => number
}

const chunkRows = 1_000

interface PageSource {
  readonly app: App
  readonly compiled: CompiledRules
  readonly prices: ReplayContext['prices']
  readonly bounds: BacktestBounds
  readonly seesNumbers: boolean
  readonly isGone: () => boolean
}

export class BacktestPage {
  readonly sums: Sums
  readonly #bounds: BacktestBounds
  readonly #tenant: Tenant
  readonly #app: App
  readonly #compiled: CompiledRules
  readonly #replay: Replay
  readonly #context: Omit<ReplayContext, 'firstApprovals'>
  readonly #hasNumber: boolean
  readonly #isGone: () => boolean

  constructor(
    { database, keyring, reputation }: BacktestDependencies,
    { app, compiled, prices, bounds, seesNumbers, isGone }: PageSource,
  ) {
    this.sums = new Sums(compiled)
    this.#bounds = bounds
    this.#isGone = isGone
    this.#tenant = database.of(app.companyId)
    this.#app = app
    this.#compiled = compiled
    this.#replay = new Replay(compiled)
    const asksPrefix = compiled.rules.some(({ conditions }) =>
      conditions.some(({ name }) => name === 'prefix'),
    )
    this.#hasNumber = seesNumbers && asksPrefix
    const keys = keyring()
    const numberOf = (recorded: Recorded) => numberIn(recorded, keys)
    const { countryOf } = reputation
    this.#context = { appId: app.appId, settings: app.settings, prices, numberOf, countryOf }
  }

  /**
   * Looks at what was before, so that windows, holds and limits are as they would be. The last sends count most: when
   * half of the time is used up, it skips to the last ones, as many as it has looked at by then.
   */
  async warm(to: string, seconds: number): Promise<void> {
    if (seconds === 0 || this.#isGone()) return
    const { warmingRows, warmingMs, nowMs } = this.#bounds
    const startedMs = nowMs()
    const lastOnes = (since: string, rows: number) =>
      positionBefore(this.#tenant, this.#app.appId, { position: to, since, rows })
    let next: string | null = await lastOnes(
      positionAt(Math.max(0, timeOfId(to) - seconds * 1000)),
      warmingRows,
    )
    let looked = 0
    let hasSkipped = false
    while (next !== null && !this.#isGone()) {
      next = await this.#playChunk({ after: next, before: `${to}0` }, () => {})
      looked += chunkRows
      const tookMs = nowMs() - startedMs
      if (next === null || tookMs > warmingMs) return
      if (hasSkipped || tookMs < warmingMs / 2) continue
      next = await lastOnes(next, looked / 2)
      hasSkipped = true
    }
  }

  /** Returns the position of the last send that was looked at; null at the end. */
  async read({ after, before }: Range): Promise<string | null> {
    const { sends, ms, nowMs } = this.#bounds
    const untilMs = nowMs() + ms
    let looked = 0
    let next: string | null = after
    while (next !== null && !this.#isGone()) {
      next = await this.#playChunk({ after: next, before }, (recorded, effect) => {
        this.sums.add(recorded, effect)
      })
      looked += chunkRows
      if (looked >= sends || nowMs() > untilMs) break
    }
    return next
  }

  async #playChunk(
    range: Range,
    take: (recorded: Recorded, effect: ReturnType<Replay['look']>) => void,
  ): Promise<string | null> {
    const { appId } = this.#app
    const chunk = await readChunk(this.#tenant, appId, {
      ...range,
      limit: chunkRows,
      hasNumber: this.#hasNumber,
    })
    const context = { ...this.#context, firstApprovals: await this.#approvalsOf(chunk.recorded) }
    for (const recorded of chunk.recorded) {
      if (isAsked(recorded)) take(recorded, this.#replay.look(recorded, context))
    }
    return chunk.last
  }

  async #approvalsOf(recorded: readonly Recorded[]): Promise<Map<string, number>> {
    if (!this.#compiled.asksKnown) return new Map()
    const hashes = new Map(
      recorded.flatMap(({ recipientHash }) =>
        recipientHash ? [[recipientHash.toString('base64'), recipientHash]] : [],
      ),
    )
    return readFirstApprovals(this.#tenant, this.#app.appId, [...hashes.values()])
  }
}

/** The number is decrypted here, looked at, and not passed on. */
function numberIn(
  { recipient, recipientType, otpId }: Recorded,
  keyring: Keyring,
): string | null | undefined {
  if (recipientType === 'email') return null
  if (!recipient || otpId === null) return undefined
  return canonicalPhone(keyring.open(recipient, recipientContext(otpId)))
}
