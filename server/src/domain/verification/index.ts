export { type ApproveDependencies, approve } from './approve.ts'
export {
  type Canary,
  type CanaryDependencies,
  type CanaryReport,
  runCanary,
} from './canary/run-canary.ts'
export { claimCanary, listCanaries, recordCanary } from './canary/store.ts'
export { cancelVerification } from './cancel.ts'
export { eraseRecipient, forgetRecipient } from './erase.ts'
export { exceptRecipient, liftException, listExceptions } from './exceptions/except.ts'
export type { Exception, KnownRecipient } from './exceptions/exception.ts'
export { findException } from './exceptions/store.ts'
export { exchange } from './exchange.ts'
export { findNewest, wasSentTo } from './find-newest.ts'
export type { GuardPart } from './guard-fault.ts'
export { createJudge, type Judge } from './guess/judge.ts'
export { type VerifyDependencies, verify } from './guess/verify.ts'
export { hashOfWritten, recipientOfWritten } from './hash-of-written.ts'
export { type ReceiveDependencies, receiveMessage } from './inbound/receive-message.ts'
export { batchingFor, createIssue, type Issue, type IssueDependencies } from './issuing/issue.ts'
export { type CompiledRules, compileRules } from './issuing/own-rules/compile.ts'
export { type Destination, type Judged, judgeOwn, type World } from './issuing/own-rules/judge.ts'
export { type Preview, preview } from './issuing/preview.ts'
export { noOwnDemands, type OwnDemands } from './issuing/rule.ts'
export { hashRecipient, resend, type SendDependencies, send } from './issuing/send.ts'
export { sendOrResend } from './issuing/send-or-resend.ts'
export { keptByVerification } from './kept.ts'
export { type LookUpDependencies, lookUp, lookUpDecisions, wholeStatus } from './look-up.ts'
export { createProve } from './proof.ts'
export { RefusalNotes } from './refusals/notes.ts'
export type { NoteRefusal, Refusal } from './refusals/refusal.ts'
export { severalCountries } from './refusals/store.ts'
export { createRefusalWriter } from './refusals/writer.ts'
export {
  type DecisionView,
  type DeliveryView,
  type FoundVerification,
  findVerification,
  listDecisions,
  listDeliveries,
} from './store.ts'
