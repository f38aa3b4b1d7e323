export { eraseRecipient } from './erase.ts'
export { exchange } from './exchange.ts'
export type { GuardPart } from './guard-fault.ts'
export { createJudge, type Judge } from './guess/judge.ts'
export { type VerifyDependencies, verify } from './guess/verify.ts'
export { type ReceiveDependencies, receiveMessage } from './inbound/receive-message.ts'
export { batchingFor, createIssue, type Issue, type IssueDependencies } from './issuing/issue.ts'
export { type Preview, preview } from './issuing/preview.ts'
export { hashRecipient, invalidRecipient, type SendDependencies, send } from './issuing/send.ts'
export { lookUp, lookUpDecisions, wholeStatus } from './look-up.ts'
export {
  type DecisionView,
  type DeliveryView,
  type FoundVerification,
  findVerification,
  listDecisions,
  listDeliveries,
} from './store.ts'
