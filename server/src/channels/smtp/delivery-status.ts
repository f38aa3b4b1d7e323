/** Delivery status notifications: multipart/report with a message/delivery-status part (RFC 3464). */
import PostalMime from 'postal-mime'
import type { Receipt } from '../channel.ts'
import { providerError } from '../provider-error.ts'
import { isNoSuchMailbox } from './status-code.ts'

const MAX_NESTING_DEPTH = 16
const MAX_HEADERS_BYTES = 64 * 1024

/** Null for what is no notification, or one that says nothing final. */
export async function readDeliveryStatus(mail: Buffer, deliveryId: string): Promise<Receipt | null> {
  const parsed = await PostalMime.parse(mail, {
    attachmentEncoding: 'utf8',
    forceRfc822Attachments: true,
    maxNestingDepth: MAX_NESTING_DEPTH,
    maxHeadersSize: MAX_HEADERS_BYTES,
  })
  const part = parsed.attachments.find((attachment) => attachment.mimeType === 'message/delivery-status')
  if (part === undefined || typeof part.content !== 'string') return null
  for (const fields of recipientFields(part.content)) {
    const receipt = readFields(fields, deliveryId)
    if (receipt !== null) return receipt
  }
  return null
}

/** The first block is about the message, each further one about a recipient. */
function recipientFields(content: string): ReadonlyMap<string, string>[] {
  const blocks = content
    .replace(/\r\n?/g, '\n')
    .trim()
    .split(/\n[ \t]*\n+/)
  return blocks.slice(1).map((block) => {
    const unfolded = block.replace(/\n[ \t]+/g, ' ')
    const fields = unfolded.split('\n').flatMap((line): [string, string][] => {
      const colon = line.indexOf(':')
      return colon === -1 ? [] : [[line.slice(0, colon).trim().toLowerCase(), line.slice(colon + 1).trim()]]
    })
    return new Map(fields)
  })
}

function readFields(fields: ReadonlyMap<string, string>, deliveryId: string): Receipt | null {
  const action = fields.get('action')?.toLowerCase()
  const names = { deliveryId, messageId: null }
  if (action === 'delivered') return { ...names, status: 'delivered', error: null, unreachable: false }
  // Delayed is no end, and relayed or expanded mail has left the world that sends notices.
  if (action !== 'failed') return null
  const statusCode = /^\d\.\d{1,3}\.\d{1,3}/.exec(fields.get('status') ?? '')?.[0] ?? '5.0.0'
  const diagnostic = fields.get('diagnostic-code')?.replace(/^[\w-]+\s*;\s*/, '') ?? 'Not delivered.'
  const error = providerError(statusCode, diagnostic)
  return { ...names, status: 'failed', error, unreachable: isNoSuchMailbox(statusCode) }
}
