/**
 * Calls that arrive together are carried out together: what waits while a batch runs forms the next one.
 * Calls of one group (a company) never run side by side on a node, so its hot rows are not fought over;
 * groups share a few lanes, so that one company's wait is not everybody's.
 */
import { AppError } from '@countersign/contract'

export type Settled<Result> = { readonly value: Result } | { readonly error: unknown }

interface Waiting<Item, Result> {
  readonly group: string
  readonly item: Item
  readonly settle: (outcome: Settled<Result>) => void
}

export interface CoalesceOptions {
  readonly lanes: number
  readonly maxBatch: number
  /** Beyond this many waiting calls a new one is refused rather than left hanging. */
  readonly maxWaiting: number
}

type RunBatch<Item, Result> = (items: readonly Item[]) => Promise<readonly Settled<Result>[]>

export function coalesce<Item, Result>(
  run: RunBatch<Item, Result>,
  { lanes: laneCount, maxBatch, maxWaiting }: CoalesceOptions,
): (group: string, item: Item) => Promise<Result> {
  const lanes = Array.from({ length: laneCount }, () => ({
    waiting: [] as Waiting<Item, Result>[],
    isRunning: false,
  }))
  let waitingCount = 0

  async function runOrSplit(items: readonly Item[]): Promise<readonly Settled<Result>[]> {
    try {
      return await run(items)
    } catch (error) {
      const isPassing = error instanceof AppError && error.errorName === 'UnavailableError'
      if (items.length === 1 || isPassing) return items.map(() => ({ error }))
      // One call that breaks a statement must not take its neighbours along.
      const alone: Settled<Result>[] = []
      for (const item of items) alone.push(...(await runOrSplit([item])))
      return alone
    }
  }

  async function drain(lane: (typeof lanes)[number]): Promise<void> {
    while (lane.waiting.length > 0) {
      const group = lane.waiting[0]?.group
      const batch = lane.waiting.filter((entry) => entry.group === group).slice(0, maxBatch)
      const taken = new Set(batch)
      lane.waiting = lane.waiting.filter((entry) => !taken.has(entry))
      const outcomes = await runOrSplit(batch.map((entry) => entry.item))
      waitingCount -= batch.length
      batch.forEach((entry, index) => {
        entry.settle(outcomes[index] ?? { error: new Error('a batch lost an outcome') })
      })
    }
    lane.isRunning = false
  }

  return (group, item) =>
    new Promise((resolve, reject) => {
      const lane = lanes[laneOf(group, laneCount)]
      if (!lane || waitingCount >= maxWaiting) {
        reject(
          new AppError('UnavailableError', 'Too many calls are waiting. Try again shortly.', {
            retry_after: 1,
          }),
        )
        return
      }
      waitingCount++
      lane.waiting.push({
        group,
        item,
        settle: (outcome) => ('error' in outcome ? reject(outcome.error) : resolve(outcome.value)),
      })
      if (lane.isRunning) return
      lane.isRunning = true
      setImmediate(() => void drain(lane))
    })
}

function laneOf(group: string, laneCount: number): number {
  let hash = 0
  for (let index = 0; index < group.length; index++) hash = (hash * 31 + group.charCodeAt(index)) >>> 0
  return hash % laneCount
}
