import type { Pdu, Session } from 'smpp/lib/smpp.js'
import { type Behaviour, type Behaviours, type Outcome, reachesPerson } from '../../behaviour.ts'
import type { Inbox } from '../../inbox.ts'
import { RECEIPT_GAP_MS } from '../../receipt-gap.ts'
import { findPhone } from '../../recipient.ts'
import type { Schedule } from '../../schedule.ts'
import {
  INVALID_DESTINATION,
  INVALID_LENGTH,
  SUBMIT_FAILED,
  SYSTEM_ERROR,
  THROTTLED,
} from './command-status.ts'
import type { Reassembly } from './reassembly.ts'
import { messageIdText, planReceipts, type Submission, writeReceipt } from './receipt.ts'
import type { ReceiptOutbox } from './receipt-outbox.ts'
import { describeSubmission, isPartTooLong, readShortMessage, sizeOf } from './short-message.ts'

export interface MessageCentre {
  readonly inbox: Inbox
  readonly behaviours: Behaviours
  readonly schedule: Schedule
  readonly reassembly: Reassembly
  readonly outbox: ReceiptOutbox
  readonly newMessageId: () => number
}

export async function answerSubmit(centre: MessageCentre, session: Session, pdu: Pdu): Promise<void> {
  const phone = findPhone(String(pdu.destination_addr ?? ''))
  if (phone === null) {
    session.send(pdu.response({ command_status: INVALID_DESTINATION }))
    return
  }
  if (isPartTooLong(readShortMessage(pdu))) {
    session.send(pdu.response({ command_status: INVALID_LENGTH }))
    return
  }
  const { outcome, delayMs } = behaviourOf(centre, phone, pdu)
  if (delayMs > 0) await centre.schedule.pause(delayMs)
  if (!reachesPerson(outcome) && isFirstPart(pdu)) centre.inbox.miss('sms', phone, outcome)
  const refusal = findRefusal(outcome)
  if (refusal !== null) {
    session.send(pdu.response({ command_status: refusal }))
    return
  }
  const submission = readSubmission(centre.newMessageId(), pdu)
  if (reachesPerson(outcome)) putInInbox(centre, phone, submission, pdu)
  session.send(pdu.response({ message_id: messageIdText(submission.id) }))
  const states = planReceipts(outcome, Number(pdu.registered_delivery ?? 0))
  const steps = states.map((state) => () => centre.outbox.deliver(session, writeReceipt(submission, state)))
  centre.schedule.inSequence(RECEIPT_GAP_MS, steps)
}

const isFirstPart = (pdu: Pdu) => (readShortMessage(pdu).segment?.number ?? 1) === 1

/** All parts of a message share one behaviour. */
function behaviourOf({ behaviours }: MessageCentre, phone: string, pdu: Pdu): Behaviour {
  const { segment } = readShortMessage(pdu)
  const name = segment && `${String(pdu.source_addr)} ${phone} ${segment.reference} ${segment.total}`
  return behaviours.take(phone, 'sms', name)
}

function findRefusal(outcome: Outcome): number | null {
  if (outcome === 'reject') return SUBMIT_FAILED
  // The connection is not dropped: all people share it, and a drop would not say which messages were taken.
  if (outcome === 'error') return SYSTEM_ERROR
  if (outcome === 'throttle') return THROTTLED
  return outcome === 'unreachable' ? INVALID_DESTINATION : null
}

function readSubmission(id: number, pdu: Pdu): Submission {
  return {
    id,
    sender: readAddress(pdu, 'source_addr', 'source_addr'),
    destination: readAddress(pdu, 'destination_addr', 'dest_addr'),
    text: readShortMessage(pdu).text,
    submittedAt: new Date(),
  }
}

function readAddress(pdu: Pdu, name: string, prefix: string): Submission['sender'] {
  return {
    address: String(pdu[name] ?? ''),
    ton: Number(pdu[`${prefix}_ton`] ?? 0),
    npi: Number(pdu[`${prefix}_npi`] ?? 0),
  }
}

function putInInbox(centre: MessageCentre, to: string, submission: Submission, pdu: Pdu): void {
  const from = submission.sender.address
  const parts = centre.reassembly.add(from, to, readShortMessage(pdu))
  if (parts === null) return
  const text = parts.map((part) => part.text).join('')
  const segments = parts.map((part) => ({ text: part.text, ...sizeOf(part) }))
  centre.inbox.add({ channel: 'sms', to, from, text, raw: { text: describeSubmission(pdu), segments } })
}
