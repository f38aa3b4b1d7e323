/** Delivery status notifications: multipart/report with a message/delivery-status part (RFC 3464). */
import type { Receipt } from '../channel.ts'
import { providerError } from '../provider-error.ts'
import { findReportPart, readHeaders } from './report-part.ts'
import { isNoSuchMailbox } from './status-code.ts'

/** Null for mail that is not a notification, or not a final one. */
export function readDeliveryStatus(mail: Buffer, deliveryId: string): Receipt | null {
  const report = findReportPart(mail)
  if (report === null) return null
  for (const fields of blocksOf(report)) {
    const receipt = readFields(fields, deliveryId)
    if (receipt !== null) return receipt
  }
  return null
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
  const names = { deliveryId, messageId: null }
  if (action === 'delivered') return { ...names, status: 'delivered', error: null, unreachable: false }
  // `delayed` is not final, and for `relayed` or `expanded` mail no further notification comes.
  if (action !== 'failed') return null
  const statusCode = /^\d\.\d{1,3}\.\d{1,3}/.exec(fields.get('status') ?? '')?.[0] ?? '5.0.0'
  const diagnostic = fields.get('diagnostic-code')?.replace(/^[\w-]+\s*;\s*/, '') ?? 'Not delivered.'
  const error = providerError(statusCode, diagnostic)
  return { ...names, status: 'failed', error, unreachable: isNoSuchMailbox(statusCode) }
}
