export { eraseRecipient } from './erase.ts'
export { exchange } from './exchange.ts'
export type { GuardPart } from './guard-fault.ts'
export { batchingFor, createIssue, type Issue, type IssueDependencies } from './issue.ts'
export { lookUp, lookUpDecisions, wholeStatus } from './look-up.ts'
export { type Preview, preview } from './preview.ts'
export { type ReceiveDependencies, receiveMessage } from './receive-message.ts'
export { hashRecipient, invalidRecipient, type SendDependencies, send } from './send.ts'
export {
  type DecisionView,
  type DeliveryView,
  type FoundVerification,
  findVerification,
  listDecisions,
  listDeliveries,
} from './store.ts'
export { type VerifyDependencies, verify } from './verify.ts'
