/**
 * Runs calls that arrive together as one batch: calls that arrive while a batch runs form the next one.
 *
 * Each group (a company) has its own queue and one batch at a time, so its batches do not compete for its hot rows. A
 * few batches run at once, and groups take turns; where it is allowed, several groups with few calls share a batch. A
 * group that finds its rows locked goes back to the end of the line and runs by itself. Only some of the batches that
 * run at once are for such groups, so that others do not wait for their locks.
 */
import { AppError } from '@countersign/contract'
import { Apart } from './apart.ts'
import { databaseProblemOf } from './database-problems.ts'
import {
  isPassing,
  itemOf,
  type Settled,
  settleAll,
  tooMany,
  type Waiting,
  withoutLate,
} from './waiting-calls.ts'

interface Group<Item, Result> {
  readonly name: string
  readonly waiting: Waiting<Item, Result>[]
  /** Calls that wait or are running. */
  size: number
  /** Whether its last batch found its rows locked. */
  isHeldUp: boolean
  /** Until then the group shares no batch, because it has broken one or found its rows locked. */
  apartUntilMs: number
}

export interface CoalesceOptions {
  /** How many batches run at once. */
  readonly maxRunning: number
  /** How many groups may share a batch; one by default. */
  readonly maxGroups?: number
  readonly maxBatch: number
  /** How many calls may wait. A group may have only as many as there is still room for, so one alone gets half. */
  readonly maxWaiting: number
  /** Tells whether a group failed because its rows are locked. It is then tried again while its calls can wait. */
  readonly isHeldUp?: (error: unknown) => boolean
  readonly heldUpMs?: number
  /** Without it, a call that comes while nothing runs starts at once. */
  readonly gathering?: Gathering
}

/** Waits a little before a batch starts: its cost hardly depends on its size, so a call costs less in a larger one. */
export interface Gathering {
  readonly ms: number
  /** Waits only if the last batch had at least this many calls, so that a single call is not delayed. */
  readonly fromSize: number
}

/**
 * `isPatient`: the items are of one group, and no other group waits for this batch. After it has waited for a lock,
 * such a batch may add the calls that have come meanwhile, with `takeMore`.
 */
type RunBatch<Item, Result> = (
  items: readonly Item[],
  isPatient: boolean,
  takeMore: () => readonly Item[],
) => Promise<readonly Settled<Result>[]>

/** The calls of one group in a batch. */
interface Part<Item, Result> {
  readonly group: Group<Item, Result>
  readonly calls: Waiting<Item, Result>[]
}

const nothingMore = () => []

/** For how long a group shares no batch after it found its rows locked: another node probably uses them too. */
const contendedMs = 1_000
/**
 * For how long a group shares no batch after its calls broke a statement: they probably break the next one too, and
 * then everybody in that batch runs twice.
 */
const brokenMs = 60_000

/**
 * After a batch that got no answer from the database for this long, calls that have waited as long for the next batch
 * fail with it. Otherwise they would wait through another batch just to fail.
 */
const longWaitMs = 2_500

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
  readonly #apart = new Apart()
  /** Groups that have calls and no running batch, in the order of their turns. */
  readonly #queue: Group<Item, Result>[] = []
  #size = 0
  #running = 0
  #heldUpRunning = 0
  /** The size of the last batch. */
  #lastSize = 0
  #timer: NodeJS.Timeout | null = null

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
    const group = known ?? {
      name,
      waiting: [],
      size: 0,
      isHeldUp: false,
      apartUntilMs: this.#apart.untilMs(name),
    }
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
    this.#queue.push(group)
    this.#goOnSoon()
  }

  #goOnSoon(): void {
    const { gathering } = this.#options
    // Not at once, so that calls of the same moment share the batch.
    if (!gathering || this.#lastSize < gathering.fromSize) setImmediate(() => this.#goOn())
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
    await this.#runNext(groups)
    this.#running--
    if (wasHeldUp) this.#heldUpRunning--
    for (const group of groups) {
      if (group.waiting.length > 0) this.#queue.push(group)
      else this.#groups.delete(group.name)
    }
    if (this.#options.gathering && this.#queue.length > 0) this.#goOnSoon()
    else this.#goOn()
  }

  async #runNext(groups: readonly Group<Item, Result>[]): Promise<void> {
    const isPatient = groups.some(isApart)
    const parts = groups.map((group) => ({ group, calls: group.waiting.splice(0, this.#options.maxBatch) }))
    const calls = parts.flatMap((part) => part.calls)
    this.#lastSize = calls.length
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
    this.#lastSize = calls.length
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
    if (hasHung && isPassing(error)) this.#tellThoseBehind(parts, error)
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

const isApart = ({ isHeldUp, apartUntilMs }: Pick<Group<never, never>, 'isHeldUp' | 'apartUntilMs'>) =>
  isHeldUp || apartUntilMs > performance.now()
