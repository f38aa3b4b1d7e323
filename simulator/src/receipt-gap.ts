/** The time between the acceptance of a message and its receipt, and between one receipt and the next. */
export const RECEIPT_GAP_MS = 150
