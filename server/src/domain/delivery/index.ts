export { Circuits } from './circuit.ts'
export type { Span } from './claim-statement.ts'
export { claimDue, type Line, listLines, takeOver } from './claim-store.ts'
export { type DeliverDependencies, deliver } from './deliver.ts'
export {
  attemptDeadlineMs,
  type DueDelivery,
  messageContext,
  type PlainMessage,
  recipientContext,
} from './delivery.ts'
export type { EarlyNames } from './early-store.ts'
export { createFinishes } from './finish.ts'
export { type HandOver, leftForOthers, type Reservation } from './hand-over.ts'
export { listStrays, readHeld, takeStrays } from './held-store.ts'
export { keptByDelivery } from './kept.ts'
export {
  applyEarlyReceipts,
  createReceiptBook,
  type ReceiptBook,
  type ReceiptDependencies,
  receiveReceipt,
  recordReceipt,
  sweepEarlyReceipts,
} from './record-receipt.ts'
export { reportApproved } from './report-approved.ts'
export { type Shares, type Slot, Slots } from './slots.ts'
export { forgetMessageIds, type VerificationRef } from './store.ts'
