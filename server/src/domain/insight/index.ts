export { gatherFigures } from './gather-figures.ts'
export { listVerifications } from './list-verifications.ts'
export { readStats } from './read-stats.ts'
export { findVerificationOwner, showVerification } from './show-verification.ts'
