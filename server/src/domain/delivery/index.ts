export { Circuits } from './circuit.ts'
export { claimDue, type Line, listLines } from './claim-store.ts'
export { type DeliverDependencies, deliver } from './deliver.ts'
export {
  aliveEveryMs,
  attemptDeadlineMs,
  type DueDelivery,
  graceSeconds,
  messageContext,
  recipientContext,
} from './delivery.ts'
export type { EarlyNames } from './early-store.ts'
export { keptByDelivery } from './kept.ts'
export { Pulse } from './pulse.ts'
export {
  applyEarlyReceipts,
  type ReceiptDependencies,
  receiveReceipt,
  recordReceipt,
  sweepEarlyReceipts,
} from './record-receipt.ts'
export { reportApproved } from './report-approved.ts'
export { Slots } from './slots.ts'
