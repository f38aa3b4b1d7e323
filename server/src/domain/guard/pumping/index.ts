export { type Block, labelContext } from './blocks/block-store.ts'
export { holdsBack } from './blocks/holds-back.ts'
export {
  type BlockDependencies,
  liftBlock,
  listBlocks,
  listBlocksOfAll,
  restoreBlock,
} from './blocks/manage-blocks.ts'
export type { Refused } from './fit/count-fit.ts'
export { doubtFit, findRefusedTime, type RefusedTime } from './fit/doubt-fit.ts'
export type { Misfit } from './fit/fit.ts'
export { expectedAgain } from './fit/fit.ts'
export { lookUpFit } from './fit/look-up-fit.ts'
export { type History, lookUpHistory } from './history/look-up-history.ts'
export { evidenceOf, repeatEvidenceOf } from './judging/evidence.ts'
export { isOnlyWatched, type Stop, wideLevels } from './judging/judge.ts'
export { levelRules, misfitNumbers } from './levels.ts'
export { fitRow, isSafe, type Place, type PlaceKey, placeOf } from './place.ts'
export { type Assessment, type Loaded, Pumping } from './pumping.ts'
export { approvalNote } from './stored/approval-note.ts'
export { readPumping, type Wanted } from './stored/read-store.ts'
export { writePumping } from './stored/write-store.ts'
