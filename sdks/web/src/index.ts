export { CountersignError } from './errors.ts'
export type { VerificationOptions } from './options.ts'
export type { Channel, Completion, Phase, VerificationState } from './state.ts'
export { createVerification, type Verification } from './verification.ts'
