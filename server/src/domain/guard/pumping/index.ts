export { approvalNote } from './approval-note.ts'
export { evidenceOf, repeatEvidenceOf } from './evidence.ts'
export { holdsBack } from './holds-back.ts'
export { isOnlyWatched, type Stop } from './judge.ts'
export { levelRules } from './levels.ts'
export { lookUpFit } from './look-up-fit.ts'
export { type History, lookUpHistory } from './look-up-history.ts'
export {
  type Block,
  type BlockDependencies,
  labelContext,
  liftBlock,
  listBlocks,
  listBlocksOfAll,
} from './manage-blocks.ts'
export { fitRow, isSafe, type Place, type PlaceKey, placeOf } from './place.ts'
export { type Assessment, type Loaded, Pumping } from './pumping.ts'
export { readPumping, type Wanted } from './read-store.ts'
export { writePumping } from './write-store.ts'
