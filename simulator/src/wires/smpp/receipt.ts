import type { Outcome } from '../../behaviour.ts'

export type ReceiptState = 'ENROUTE' | 'DELIVRD' | 'UNDELIV'

/** A message that was answered with an id. */
export interface Submission {
  readonly id: number
  readonly sender: { readonly address: string; readonly ton: number; readonly npi: number }
  readonly destination: { readonly address: string; readonly ton: number; readonly npi: number }
  readonly text: string
  readonly submittedAt: Date
}

const STATES: Record<ReceiptState, { number: number; delivered: string; error: string }> = {
  ENROUTE: { number: 1, delivered: '000', error: '000' },
  DELIVRD: { number: 2, delivered: '001', error: '000' },
  UNDELIV: { number: 5, delivered: '000', error: '001' },
}

const PLANS: Record<Outcome, readonly ReceiptState[]> = {
  deliver: ['DELIVRD'],
  duplicate: ['DELIVRD', 'ENROUTE', 'DELIVRD'],
  fail: ['UNDELIV'],
  silent: [],
  reject: [],
  unreachable: [],
  error: [],
  throttle: [],
}

const WANTS_ALL = 1
const WANTS_FAILURE = 2
const WANTS_SUCCESS = 3

// SMPP 3.4 §5.2.17: bits 0 and 1 say which receipts are wanted.
export function planReceipts(outcome: Outcome, registeredDelivery: number): readonly ReceiptState[] {
  const wanted = registeredDelivery & 3
  return PLANS[outcome].filter((state) => {
    if (wanted === WANTS_ALL) return true
    if (wanted === WANTS_FAILURE) return state === 'UNDELIV'
    return wanted === WANTS_SUCCESS && state === 'DELIVRD'
  })
}

export function messageIdText(id: number): string {
  return id.toString(16).toUpperCase()
}

/** The deliver_sm: hexadecimal id in the TLV, decimal in the text, as some carriers mix them. */
export function writeReceipt(submission: Submission, state: ReceiptState): Record<string, unknown> {
  const { number, delivered, error } = STATES[state]
  const beginning = submission.text.replace(/[^\x20-\x5a\x61-\x7a]/g, '.').slice(0, 20)
  const text =
    `id:${submission.id} sub:001 dlvrd:${delivered} submit date:${stamp(submission.submittedAt)} ` +
    `done date:${stamp(new Date())} stat:${state} err:${error} text:${beginning}`
  return {
    source_addr: submission.destination.address,
    source_addr_ton: submission.destination.ton,
    source_addr_npi: submission.destination.npi,
    destination_addr: submission.sender.address,
    dest_addr_ton: submission.sender.ton,
    dest_addr_npi: submission.sender.npi,
    esm_class: 0x04,
    data_coding: 0,
    short_message: { message: text },
    receipted_message_id: messageIdText(submission.id),
    message_state: number,
    ...(state === 'UNDELIV' ? { network_error_code: Buffer.from([3, 0, 1]) } : {}),
  }
}

function stamp(date: Date): string {
  return date.toISOString().replace(/\D/g, '').slice(2, 12)
}
