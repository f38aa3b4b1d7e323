/** Delivery status notifications: multipart/report with a message/delivery-status part (RFC 3464), or the text of qmail or Exim. */
import type { Receipt } from '../channel.ts'
import { providerError } from '../provider-error.ts'
import { readEximNotice } from './exim-notice.ts'
import { readQmailNotice } from './qmail-notice.ts'
import { findReportPart, readHeaders } from './report-part.ts'
import { isNoSuchMailbox, specificStatusCode } from './status-code.ts'

/** Null for mail that is not a notification, or not a final one. */
export function readDeliveryStatus(mail: Buffer, deliveryId: string): Receipt | null {
  const report = findReportPart(mail)
  if (report !== null) {
    return together(blocksOf(report).flatMap((fields) => readFields(fields, deliveryId) ?? []))
  }
  const notice = readQmailNotice(mail) ?? readEximNotice(mail)
  return notice && failure(deliveryId, specificStatusCode(notice.statusCode, notice.words), notice.words)
}

/**
 * A mail has one recipient, but a server that forwards it to several reports on each: it was delivered if one got it,
 * and the address does not exist only if none of them does.
 */
function together(receipts: readonly Receipt[]): Receipt | null {
  const [first] = receipts
  const delivered = receipts.find(({ status }) => status === 'delivered')
  if (delivered || !first) return delivered ?? null
  return { ...first, unreachable: receipts.every(({ unreachable }) => unreachable) }
}

/** The first block is about the message, each further one about a recipient; some servers leave out the first. */
function blocksOf(report: string): ReadonlyMap<string, string>[] {
  const blocks: string[][] = [[]]
  for (const line of report.replaceAll('\r', '').trim().split('\n')) {
    if (line.trim() !== '') blocks.at(-1)?.push(line)
    else if (blocks.at(-1)?.length !== 0) blocks.push([])
  }
  return blocks.map(readHeaders)
}

function readFields(fields: ReadonlyMap<string, string>, deliveryId: string): Receipt | null {
  // RFC 3464 §2.1: a comment in parentheses may follow.
  const action = fields.get('action')?.split('(', 1)[0]?.trim().toLowerCase()
  if (action === 'delivered') {
    return { deliveryId, messageId: null, status: 'delivered', error: null, unreachable: false }
  }
  // `delayed` is not final, and for `relayed` or `expanded` mail no further notification comes.
  if (action !== 'failed') return null
  const reported = /^\d\.\d{1,3}\.\d{1,3}/.exec(fields.get('status') ?? '')?.[0] ?? '5.0.0'
  const diagnostic = fields.get('diagnostic-code')?.replace(/^[\w-]+\s*;\s*/, '') ?? 'Not delivered.'
  return failure(deliveryId, specificStatusCode(reported, diagnostic), diagnostic)
}

function failure(deliveryId: string, statusCode: string, words: string): Receipt {
  const error = providerError(statusCode, words)
  return {
    deliveryId,
    messageId: null,
    status: 'failed',
    error,
    unreachable: isNoSuchMailbox(statusCode, words),
  }
}
