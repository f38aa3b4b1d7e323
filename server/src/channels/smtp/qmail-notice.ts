/** Failure notices of qmail and its descendants, which are plain text: https://cr.yp.to/proto/qsbmf.txt */

import type { PlainNotice } from './plain-notice.ts'

const BEGINNING = 'Hi. This is the'
/** Beyond this only the message itself is quoted. */
const MAX_READ_BYTES = 16 * 1024
const STATUS_CODE = /\(#([245]\.\d{1,3}\.\d{1,3})\)/

/** Null for any other mail. qmail sends no notices of delay or success. */
export function readQmailNotice(mail: Buffer): PlainNotice | null {
  const text = mail.toString('latin1', 0, MAX_READ_BYTES).replaceAll('\r', '')
  const body = text.slice(text.indexOf('\n\n') + 2).trimStart()
  if (!body.startsWith(BEGINNING)) return null
  const lines = body.split('\n')
  // After a line of dashes the message is quoted.
  const found = lines.findIndex((line) => line.startsWith('<') || line.startsWith('-'))
  if (!lines[found]?.startsWith('<')) return null
  // The line names the recipient, the following ones give the reason.
  const rest = lines.slice(found + 1)
  const end = rest.indexOf('')
  const reason = rest.slice(0, end === -1 ? rest.length : end).join(' ')
  const words = Buffer.from(reason, 'latin1').toString('utf8')
  return { statusCode: STATUS_CODE.exec(words)?.[1] ?? '5.0.0', words }
}
