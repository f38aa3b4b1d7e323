/** Failure notices of Exim, which are plain text with a field of its own in the header. */
import { decodeWords } from 'postal-mime'
import type { PlainNotice } from './plain-notice.ts'
import { readHeaders } from './report-part.ts'

/** Beyond this only the message itself is quoted. */
const MAX_READ_BYTES = 16 * 1024
const QUOTED_FROM = '------'
/** An address is indented by two, its reason by four. */
const REASON = '    '

/** Null for any other mail. Exim's own notices of delay do not have the field; those of others say so. */
export function readEximNotice(mail: Buffer): PlainNotice | null {
  const text = mail.toString('latin1', 0, MAX_READ_BYTES).replaceAll('\r', '')
  const headersEnd = text.indexOf('\n\n')
  if (headersEnd === -1) return null
  const headers = readHeaders(text.slice(0, headersEnd).split('\n'))
  if (!headers.has('x-failed-recipients')) return null
  const subject = decodeWords(headers.get('subject') ?? '').toLowerCase()
  if (subject.includes('delay') || subject.includes('warning')) return null
  const lines = text.slice(headersEnd + 2).split('\n')
  const end = lines.findIndex((line) => line.startsWith(QUOTED_FROM))
  const reason = lines
    .slice(0, end === -1 ? lines.length : end)
    .filter((line) => line.startsWith(REASON))
    .map((line) => line.trim())
    .join(' ')
  return { statusCode: '5.0.0', words: Buffer.from(reason, 'latin1').toString('utf8') || 'Not delivered.' }
}
