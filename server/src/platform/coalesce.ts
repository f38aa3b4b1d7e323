/**
 * Runs calls that arrive together as one batch: calls that arrive while a batch runs form the next one.
 *
 * Each group (a company) has its own queue and one batch at a time, so its batches do not compete for its hot rows. A
 * few batches run at once, and groups take turns; where it is allowed, several groups with few calls share a batch. A
 * group that finds its rows locked goes back to the end of the line and runs by itself. Only some of the batches that
 * run at once are for such groups, so that others do not wait for their locks.
 */
import { AppError } from '@countersign/contract'
import { Batches, type BatchOptions, type RunBatch } from './coalesce/batches.ts'
import { type Group, isApart, type Part } from './coalesce/group.ts'
import { longWaitMs, withoutLate } from './coalesce/waiting-calls.ts'
import { databaseProblemOf } from './database/problems.ts'
import { tooManyCalls } from './too-many-calls.ts'

export interface CoalesceOptions extends BatchOptions {
  /** How many batches run at once. */
  readonly maxRunning: number
  /** How many calls may wait. A group may have only as many as there is still room for, so one alone gets half. */
  readonly maxWaiting: number
  /** Without it, a call that comes while nothing runs starts at once. */
  readonly gathering?: Gathering
}

/** Waits a little before a batch starts: its cost hardly depends on its size, so a call costs less in a larger one. */
interface Gathering {
  readonly ms: number
  /** Waits only if the last batch had at least this many calls, so that a single call is not delayed. */
  readonly fromSize: number
}

export function coalesce<Item, Result>(
  run: RunBatch<Item, Result>,
  options: CoalesceOptions,
): (group: string, item: Item) => Promise<Result> {
  const coalescer = new Coalescer(run, options)
  return (group, item) => new Promise((resolve, reject) => coalescer.add(group, item, { resolve, reject }))
}

class Coalescer<Item, Result> {
  readonly #options: CoalesceOptions
  readonly #batches: Batches<Item, Result>
  readonly #maxHeldUp: number
  readonly #groups = new Map<string, Group<Item, Result>>()
  /** Groups that have calls and no running batch, in the order of their turns. */
  readonly #queue: Group<Item, Result>[] = []
  #size = 0
  #running = 0
  #heldUpRunning = 0
  #timer: NodeJS.Timeout | null = null

  constructor(run: RunBatch<Item, Result>, options: CoalesceOptions) {
    this.#options = options
    this.#batches = new Batches(run, options, (parts, error) => this.#tellThoseBehind(parts, error))
    this.#maxHeldUp = Math.max(1, Math.floor(options.maxRunning / 4))
  }

  add(
    name: string,
    item: Item,
    caller: { resolve: (value: Result) => void; reject: (error: unknown) => void },
  ): void {
    const known = this.#groups.get(name)
    const group = known ?? {
      name,
      waiting: [],
      size: 0,
      isHeldUp: false,
      apartUntilMs: this.#batches.apartUntilMs(name),
    }
    if (group.size >= this.#options.maxWaiting - this.#size) {
      caller.reject(tooManyCalls())
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
    this.#queue.push(group)
    this.#goOnSoon()
  }

  #goOnSoon(): void {
    const { gathering } = this.#options
    // Not at once, so that calls of the same moment share the batch.
    if (!gathering || this.#batches.lastSize < gathering.fromSize) setImmediate(() => this.#goOn())
    else
      this.#timer ??= setTimeout(() => {
        this.#timer = null
        this.#goOn()
      }, gathering.ms)
  }

  #goOn(): void {
    while (this.#running < this.#options.maxRunning) {
      const index = this.#queue.findIndex(
        ({ isHeldUp }) => !isHeldUp || this.#heldUpRunning < this.#maxHeldUp,
      )
      const [group] = index < 0 ? [] : this.#queue.splice(index, 1)
      if (!group) return
      void this.#work([group, ...this.#takeAlong(group)])
    }
  }

  /** Other groups whose calls all fit into the same batch. */
  #takeAlong(first: Group<Item, Result>): Group<Item, Result>[] {
    const { maxGroups = 1, maxBatch } = this.#options
    if (maxGroups === 1 || isApart(first)) return []
    const taken: Group<Item, Result>[] = []
    let size = first.waiting.length
    for (let index = 0; index < this.#queue.length && taken.length + 1 < maxGroups; ) {
      const next = this.#queue[index]
      if (!next || isApart(next) || size + next.waiting.length > maxBatch) {
        index++
        continue
      }
      size += next.waiting.length
      taken.push(next)
      this.#queue.splice(index, 1)
    }
    return taken
  }

  async #work(groups: readonly Group<Item, Result>[]): Promise<void> {
    const wasHeldUp = groups.some(({ isHeldUp }) => isHeldUp)
    this.#running++
    if (wasHeldUp) this.#heldUpRunning++
    await this.#batches.runNext(groups)
    this.#running--
    if (wasHeldUp) this.#heldUpRunning--
    for (const group of groups) {
      if (group.waiting.length > 0) this.#queue.push(group)
      else this.#groups.delete(group.name)
    }
    if (this.#options.gathering && this.#queue.length > 0) this.#goOnSoon()
    else this.#goOn()
  }

  /** If the database itself is at fault, calls of other groups that have waited too long fail too. */
  #tellThoseBehind(parts: readonly Part<Item, Result>[], error: unknown): void {
    const isOfAll = error instanceof AppError && databaseProblemOf(error.cause) !== null
    const groups = isOfAll ? this.#groups.values() : parts.map(({ group }) => group)
    for (const { waiting } of groups) waiting.push(...withoutLate(waiting.splice(0), longWaitMs, error))
    for (const group of this.#queue.filter(({ waiting }) => waiting.length === 0)) {
      this.#queue.splice(this.#queue.indexOf(group), 1)
      this.#groups.delete(group.name)
    }
  }
}
