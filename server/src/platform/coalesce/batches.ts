/** Runs one batch, and gives each of its calls its outcome, whatever happens to the others. */
import { Apart } from './apart.ts'
import { type Group, isApart, type Part } from './group.ts'
import { isPassing, itemOf, longWaitMs, type Settled, settleAll, withoutLate } from './waiting-calls.ts'

export interface BatchOptions {
  /** How many groups may share a batch; one by default. */
  readonly maxGroups?: number
  readonly maxBatch: number
  /** Tells whether a group failed because its rows are locked. It is then tried again while its calls can wait. */
  readonly isHeldUp?: (error: unknown) => boolean
  readonly heldUpMs?: number
}

/**
 * `isPatient`: the items are of one group, and no other group waits for this batch. After it has waited for a lock,
 * such a batch may add the calls that have come meanwhile, with `takeMore`.
 */
export type RunBatch<Item, Result> = (
  items: readonly Item[],
  isPatient: boolean,
  takeMore: () => readonly Item[],
) => Promise<readonly Settled<Result>[]>

/** Called after a batch that got no answer from the database for long. */
type OnHung<Item, Result> = (parts: readonly Part<Item, Result>[], error: unknown) => void

const nothingMore = () => []

/** For how long a group shares no batch after it found its rows locked: another node probably uses them too. */
const contendedMs = 1_000
/**
 * For how long a group shares no batch after its calls broke a statement: they probably break the next one too, and
 * then everybody in that batch runs twice.
 */
const brokenMs = 60_000

export class Batches<Item, Result> {
  readonly #run: RunBatch<Item, Result>
  readonly #options: BatchOptions
  readonly #onHung: OnHung<Item, Result>
  readonly #apart = new Apart()
  /** The size of the last batch. */
  lastSize = 0

  constructor(run: RunBatch<Item, Result>, options: BatchOptions, onHung: OnHung<Item, Result>) {
    this.#run = run
    this.#options = options
    this.#onHung = onHung
  }

  /** Until when a group shares no batch; a time in the past if it may share one. */
  apartUntilMs(name: string): number {
    return this.#apart.untilMs(name)
  }

  async runNext(groups: readonly Group<Item, Result>[]): Promise<void> {
    const isPatient = groups.some(isApart)
    const parts = groups.map((group) => ({ group, calls: group.waiting.splice(0, this.#options.maxBatch) }))
    const calls = parts.flatMap((part) => part.calls)
    this.lastSize = calls.length
    const [only] = parts
    const begunMs = performance.now()
    try {
      const outcomes = await this.#run(calls.map(itemOf), isPatient, () =>
        isPatient && only ? this.#takeMore(only) : [],
      )
      let start = 0
      for (const part of parts) {
        this.#settle(part, outcomes.slice(start, start + part.calls.length))
        start += part.calls.length
      }
    } catch (error) {
      await this.#recover(parts, error, begunMs)
    }
  }

  #takeMore({ group, calls }: Part<Item, Result>): Item[] {
    const more = group.waiting.splice(0, this.#options.maxBatch - calls.length)
    calls.push(...more)
    this.lastSize = calls.length
    return more.map(itemOf)
  }

  #settle(part: Part<Item, Result>, outcomes: readonly Settled<Result>[]): void {
    const { isHeldUp } = this.#options
    const locked = outcomes.find((outcome) => 'error' in outcome && isHeldUp?.(outcome.error))
    part.group.isHeldUp = locked !== undefined
    if (locked && 'error' in locked) this.#holdUp(part, locked.error)
    else settleAll(part.calls, outcomes)
  }

  /** If several groups failed together, each is run again by itself. */
  async #recover(parts: readonly Part<Item, Result>[], error: unknown, begunMs: number): Promise<void> {
    // A batch that failed quickly has delayed nobody, and the next one may succeed.
    const hasHung = performance.now() - begunMs >= longWaitMs
    const isLocked = this.#options.isHeldUp?.(error) ?? false
    if (isLocked) for (const part of parts) this.#holdUp(part, error)
    else if (parts.length === 1 || isPassing(error))
      for (const part of parts) settleAll(part.calls, await this.#split(part, error))
    else for (const part of parts) await this.#runPart(part)
    if (hasHung && isPassing(error)) this.#onHung(parts, error)
  }

  /** Without patience: the other groups of the failed batch wait for their turn. */
  async #runPart(part: Part<Item, Result>): Promise<void> {
    const begunMs = performance.now()
    try {
      this.#settle(part, await this.#run(part.calls.map(itemOf), false, nothingMore))
    } catch (error) {
      await this.#recover([part], error, begunMs)
    }
  }

  /** Puts the calls that can still wait back to the front of their group's queue. */
  #holdUp({ group, calls }: Part<Item, Result>, error: unknown): void {
    group.waiting.unshift(...withoutLate(calls, this.#options.heldUpMs ?? 0, error))
    group.isHeldUp = true
    this.#setApart(group, contendedMs)
  }

  /** Runs the calls one by one, so that a call that breaks the statement does not fail its neighbours. */
  async #split({ group, calls }: Part<Item, Result>, error: unknown): Promise<readonly Settled<Result>[]> {
    if (isPassing(error)) return calls.map(() => ({ error }))
    this.#setApart(group, brokenMs)
    if (calls.length === 1) return [{ error }]
    const alone: Settled<Result>[] = []
    for (const { item } of calls) {
      const [outcome] = await this.#run([item], true, nothingMore).catch((cause: unknown) => [
        { error: cause },
      ])
      alone.push(outcome ?? { error: new Error('a batch lost an outcome') })
    }
    return alone
  }

  #setApart(group: Group<Item, Result>, forMs: number): void {
    if ((this.#options.maxGroups ?? 1) === 1) return
    group.apartUntilMs = Math.max(group.apartUntilMs, performance.now() + forMs)
    this.#apart.set(group.name, group.apartUntilMs)
  }
}
