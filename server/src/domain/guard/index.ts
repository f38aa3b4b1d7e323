export { type ClientIp, parseClientIp } from './client-ip.ts'
export {
  alarmFailures,
  countAlarms,
  Guesses,
  type GuessingView,
  isAlarmOn,
  lookUpGuessing,
  watchOver,
  windowSeconds,
} from './guessing/index.ts'
export { keptByGuard } from './kept.ts'
export {
  chargeLimit,
  countedByNow,
  type LimitCheck,
  type LimitRow,
  type LimitState,
  type LimitVerdict,
  testLimit,
} from './limits.ts'
export {
  type Assessment,
  approvalNote,
  type Block,
  type BlockDependencies,
  doubtFit,
  evidenceOf,
  expectedAgain,
  findRefusedTime,
  fitRow,
  type History,
  holdsBack,
  isOnlyWatched,
  isSafe,
  labelContext,
  liftBlock,
  listBlocks,
  listBlocksOfAll,
  lookUpFit,
  lookUpHistory,
  type Misfit,
  misfitNumbers,
  Pumping,
  placeOf,
  type Refused,
  type RefusedTime,
  readPumping,
  repeatEvidenceOf,
  restoreBlock,
  type Wanted,
  wideLevels,
  writePumping,
} from './pumping/index.ts'
export { readRecipient } from './read-recipient.ts'
export { addressOf, canonicalPhone, parseRecipient, provenAddress, type Recipient } from './recipient.ts'
export {
  explainIp,
  listingOf,
  loadReputation,
  type Reputation,
  watchReputation,
} from './reputation/index.ts'
export { failuresLimitKey, ipLimitKey, isCountable, keyOf as limitKeyOf, limitsOf } from './send-limits.ts'
