/** What the guard against pumped traffic holds back now. */
import type { BlockAnswer } from '@countersign/contract'
import { type Block, type BlockDependencies, liftBlock, listBlocks } from '../../domain/guard/index.ts'
import { type Route, route } from '../route.ts'

export function blockRoutes(dependencies: BlockDependencies): Route[] {
  return [
    route('listBlocks', async ({ scope }) => ({
      blocks: (await listBlocks(dependencies, scope.app)).map(blockAnswer),
    })),
    route('liftBlock', async ({ scope, params }) =>
      blockAnswer(await liftBlock(dependencies, scope.app, params.block_id ?? '')),
    ),
  ]
}

export const blockAnswer = (block: Block): BlockAnswer => ({
  block_id: block.blockId,
  level: block.level,
  place: block.label,
  kind: block.isHold ? 'hold' : 'block',
  numbers: block.numbers,
  approved: block.approved,
  times: block.strikes,
  started_at: new Date(block.startedAtMs).toISOString(),
  until: new Date(block.untilMs).toISOString(),
})
