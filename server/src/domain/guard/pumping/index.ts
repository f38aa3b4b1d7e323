export { approvalNote } from './approval-note.ts'
export { type Block, labelContext } from './block-store.ts'
export type { Refused } from './count-fit.ts'
export { doubtFit, findRefusedTime, type RefusedTime } from './doubt-fit.ts'
export { evidenceOf, repeatEvidenceOf } from './evidence.ts'
export type { Misfit } from './fit.ts'
export { holdsBack } from './holds-back.ts'
export { isOnlyWatched, type Stop, wideLevels } from './judge.ts'
export { levelRules, misfitNumbers } from './levels.ts'
export { lookUpFit } from './look-up-fit.ts'
export { type History, lookUpHistory } from './look-up-history.ts'
export {
  type BlockDependencies,
  liftBlock,
  listBlocks,
  listBlocksOfAll,
  restoreBlock,
} from './manage-blocks.ts'
export { fitRow, isSafe, type Place, type PlaceKey, placeOf } from './place.ts'
export { type Assessment, type Loaded, Pumping } from './pumping.ts'
export { readPumping, type Wanted } from './read-store.ts'
export { writePumping } from './write-store.ts'
