import { randomUUID } from 'node:crypto'
import { headersOf, type Mail } from './read-mail.ts'

export type Action = 'delivered' | 'failed' | 'delayed'

export interface DeliveryReport {
  readonly action: Action
  readonly returnPath: string
  readonly recipient: string
  readonly originalRecipient: string | null
  readonly envelopeId: string | null
  readonly returnFull: boolean
  readonly arrivedAt: Date
  readonly mail: Mail
}

export const REPORTING_HOST = 'mx.simulator.invalid'

const WORDS: Record<Action, { status: string; diagnostic: string; text: string }> = {
  delivered: { status: '2.0.0', diagnostic: '250 2.0.0 delivered', text: 'Your message was delivered.' },
  delayed: { status: '4.4.7', diagnostic: '451 4.4.7 still trying', text: 'Your message is delayed.' },
  // Not 5.1.1, which says that the mailbox does not exist: that is another outcome.
  failed: {
    status: '5.2.2',
    diagnostic: '552 5.2.2 mailbox full',
    text: 'Your message could not be delivered.',
  },
}

/** A multipart/report mail of RFC 3462 with a delivery status of RFC 3464. */
export function writeDeliveryStatus(report: DeliveryReport): string {
  const boundary = `report-${randomUUID()}`
  const words = WORDS[report.action]
  const lines = [
    `From: Mail Delivery System <MAILER-DAEMON@${REPORTING_HOST}>`,
    `To: ${report.returnPath}`,
    `Subject: Delivery Status Notification (${report.action})`,
    `Date: ${mailDate(new Date())}`,
    `Message-ID: <${randomUUID()}@${REPORTING_HOST}>`,
    'Auto-Submitted: auto-replied',
    'MIME-Version: 1.0',
    `Content-Type: multipart/report; report-type=delivery-status; boundary="${boundary}"`,
    '',
    `--${boundary}`,
    'Content-Type: text/plain; charset=utf-8',
    '',
    words.text,
    '',
    `--${boundary}`,
    'Content-Type: message/delivery-status',
    '',
    ...perMessageFields(report),
    '',
    ...perRecipientFields(report, words),
    '',
    `--${boundary}`,
    ...returnedContent(report),
    '',
    `--${boundary}--`,
    '',
  ]
  return lines.join('\r\n')
}

function perMessageFields(report: DeliveryReport): string[] {
  const fields = [`Reporting-MTA: dns; ${REPORTING_HOST}`]
  if (report.envelopeId !== null) fields.push(`Original-Envelope-Id: ${report.envelopeId}`)
  return [...fields, `Arrival-Date: ${mailDate(report.arrivedAt)}`]
}

function perRecipientFields(report: DeliveryReport, words: { status: string; diagnostic: string }): string[] {
  const original =
    report.originalRecipient === null ? [] : [`Original-Recipient: ${report.originalRecipient}`]
  return [
    ...original,
    `Final-Recipient: rfc822;${report.recipient}`,
    `Action: ${report.action}`,
    `Status: ${words.status}`,
    `Remote-MTA: dns; ${REPORTING_HOST}`,
    `Diagnostic-Code: smtp; ${words.diagnostic}`,
    `Last-Attempt-Date: ${mailDate(new Date())}`,
  ]
}

// RFC 3461 §4.3: RET counts for failures only; other reports return the headers.
function returnedContent(report: DeliveryReport): string[] {
  if (report.action === 'failed' && report.returnFull) {
    return ['Content-Type: message/rfc822', '', report.mail.raw.toString('latin1')]
  }
  return ['Content-Type: text/rfc822-headers', '', headersOf(report.mail.raw).toString('latin1')]
}

function mailDate(date: Date): string {
  return date.toUTCString().replace('GMT', '+0000')
}
