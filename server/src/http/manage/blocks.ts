/** What the guard against pumping holds back now, and has held back. */
import type { BlockAnswer, DebtsAnswer } from '@countersign/contract'
import { formatMicros } from '../../domain/billing/index.ts'
import {
  type Block,
  type BlockDependencies,
  type History,
  liftBlock,
  listBlocks,
  lookUpHistory,
  restoreBlock,
} from '../../domain/guard/index.ts'
import { type Route, route } from '../route.ts'

export function blockRoutes(dependencies: BlockDependencies): Route[] {
  return [
    route('listBlocks', async ({ scope }) => ({
      blocks: (await listBlocks(dependencies, scope.app)).map(blockAnswer),
    })),
    route('getDebts', async ({ scope, query }) =>
      debtsAnswer(await lookUpHistory(dependencies, scope.app, query)),
    ),
    route('liftBlock', async ({ scope, params }) =>
      blockAnswer(await liftBlock(dependencies, scope.app, params.block_id ?? '')),
    ),
    route('restoreBlock', async ({ scope, params }) =>
      blockAnswer(await restoreBlock(dependencies, scope.app, params.block_id ?? '')),
    ),
  ]
}

export const blockAnswer = (block: Block): BlockAnswer => ({
  block_id: block.blockId,
  level: block.level,
  place: block.label,
  country: block.country,
  prefix: block.prefix,
  kind: block.isHold ? 'hold' : 'block',
  numbers: block.numbers,
  approved: block.approved,
  times: block.strikes,
  started_at: new Date(block.startedAtMs).toISOString(),
  until: new Date(block.untilMs).toISOString(),
})

const timeOf = (timeMs: number) => new Date(timeMs).toISOString()
const hundredths = (value: number) => Math.round(value * 100) / 100

const debtsAnswer = ({ fromMs, toMs, stepSeconds, places }: History): DebtsAnswer => ({
  from: timeOf(fromMs),
  to: timeOf(toMs),
  step_s: stepSeconds,
  places: places.map(({ level, label, held, watched, heldMicros, watchedMicros, points }) => ({
    level,
    place: label,
    held,
    watched,
    held_price: formatMicros(heldMicros),
    watched_price: formatMicros(watchedMicros),
    points: points.map(({ atMs, debt, threshold, ...counts }) => ({
      at: timeOf(atMs),
      debt: hundredths(debt),
      threshold: hundredths(threshold),
      ...counts,
    })),
  })),
})
