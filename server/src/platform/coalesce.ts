/**
 * Calls that arrive together are carried out together: what waits while a batch runs forms the next one.
 *
 * Each group (a company) has a queue of its own and one batch at a time, so its hot rows are not fought over. Groups
 * take turns at a few places. One that finds its rows locked goes back to the end of the line, and only some of the
 * places are for those, so that one company's wait is not another's.
 */
import { AppError } from '@countersign/contract'
import { isContended } from './database.ts'

export type Settled<Result> = { readonly value: Result } | { readonly error: unknown }

interface Waiting<Item, Result> {
  readonly item: Item
  readonly sinceMs: number
  readonly settle: (outcome: Settled<Result>) => void
}

interface Group<Item, Result> {
  readonly name: string
  readonly waiting: Waiting<Item, Result>[]
  /** With those that are being carried out. */
  size: number
  /** Its last batch found its rows locked. */
  isHeldUp: boolean
}

export interface CoalesceOptions {
  /** Batches that run at once. */
  readonly maxRunning: number
  readonly maxBatch: number
  /** So many calls wait at most, and of one group as many as there is still room for; others are refused. */
  readonly maxWaiting: number
  /** Tells whether a batch failed because its rows are locked: it is tried again while its calls can wait. */
  readonly isHeldUp?: (error: unknown) => boolean
  readonly heldUpMs?: number
}

type RunBatch<Item, Result> = (items: readonly Item[]) => Promise<readonly Settled<Result>[]>

const tooMany = () =>
  new AppError('UnavailableError', 'Too many calls are waiting. Try again shortly.', { retry_after: 1 })

export function coalesce<Item, Result>(
  run: RunBatch<Item, Result>,
  options: CoalesceOptions,
): (group: string, item: Item) => Promise<Result> {
  const coalescer = new Coalescer(run, options)
  return (group, item) => new Promise((resolve, reject) => coalescer.add(group, item, { resolve, reject }))
}

class Coalescer<Item, Result> {
  readonly #run: RunBatch<Item, Result>
  readonly #options: CoalesceOptions
  readonly #maxHeldUp: number
  readonly #groups = new Map<string, Group<Item, Result>>()
  /** Groups that have calls and no batch under way, in turn. */
  readonly #line: Group<Item, Result>[] = []
  #size = 0
  #running = 0
  #heldUpRunning = 0

  constructor(run: RunBatch<Item, Result>, options: CoalesceOptions) {
    this.#run = run
    this.#options = options
    this.#maxHeldUp = Math.max(1, Math.floor(options.maxRunning / 4))
  }

  add(
    name: string,
    item: Item,
    caller: { resolve: (value: Result) => void; reject: (error: unknown) => void },
  ): void {
    const known = this.#groups.get(name)
    const group = known ?? { name, waiting: [], size: 0, isHeldUp: false }
    if (group.size >= this.#options.maxWaiting - this.#size) {
      caller.reject(tooMany())
      return
    }
    this.#size++
    group.size++
    group.waiting.push({
      item,
      sinceMs: performance.now(),
      settle: (outcome) => {
        this.#size--
        group.size--
        if ('error' in outcome) caller.reject(outcome.error)
        else caller.resolve(outcome.value)
      },
    })
    if (known) return
    this.#groups.set(name, group)
    this.#line.push(group)
    // Not at once: what arrives in the same moment goes along.
    setImmediate(() => this.#goOn())
  }

  #goOn(): void {
    while (this.#running < this.#options.maxRunning) {
      const index = this.#line.findIndex(({ isHeldUp }) => !isHeldUp || this.#heldUpRunning < this.#maxHeldUp)
      const [group] = index < 0 ? [] : this.#line.splice(index, 1)
      if (!group) return
      void this.#work(group)
    }
  }

  async #work(group: Group<Item, Result>): Promise<void> {
    const wasHeldUp = group.isHeldUp
    this.#running++
    if (wasHeldUp) this.#heldUpRunning++
    await this.#runNext(group)
    this.#running--
    if (wasHeldUp) this.#heldUpRunning--
    if (group.waiting.length > 0) this.#line.push(group)
    else this.#groups.delete(group.name)
    this.#goOn()
  }

  async #runNext(group: Group<Item, Result>): Promise<void> {
    const { maxBatch, isHeldUp } = this.#options
    const batch = group.waiting.splice(0, maxBatch)
    try {
      settleAll(batch, await this.#run(batch.map(({ item }) => item)))
      group.isHeldUp = false
    } catch (error) {
      group.isHeldUp = isHeldUp?.(error) ?? false
      if (group.isHeldUp) this.#holdUp(group, batch, error)
      else settleAll(batch, await this.#split(batch, error))
    }
  }

  /** Those who can wait are first when it is their company's turn again. */
  #holdUp(group: Group<Item, Result>, batch: readonly Waiting<Item, Result>[], error: unknown): void {
    const { heldUpMs = 0 } = this.#options
    const oldestMs = performance.now() - heldUpMs
    const patient = batch.filter(({ sinceMs }) => sinceMs > oldestMs)
    for (const { sinceMs, settle } of batch) if (sinceMs <= oldestMs) settle({ error })
    group.waiting.unshift(...patient)
  }

  /** One call that breaks a statement must not take its neighbours along. */
  async #split(batch: readonly Waiting<Item, Result>[], error: unknown): Promise<readonly Settled<Result>[]> {
    const isPassing =
      error instanceof AppError && error.errorName === 'UnavailableError' && !isContended(error)
    if (batch.length === 1 || isPassing) return batch.map(() => ({ error }))
    const alone: Settled<Result>[] = []
    for (const { item } of batch) {
      const [outcome] = await this.#run([item]).catch((cause: unknown) => [{ error: cause }])
      alone.push(outcome ?? { error: new Error('a batch lost an outcome') })
    }
    return alone
  }
}

function settleAll<Item, Result>(
  batch: readonly Waiting<Item, Result>[],
  outcomes: readonly Settled<Result>[],
): void {
  batch.forEach(({ settle }, index) => {
    settle(outcomes[index] ?? { error: new Error('a batch lost an outcome') })
  })
}
