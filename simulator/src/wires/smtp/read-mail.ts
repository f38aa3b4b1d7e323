import type { Readable } from 'node:stream'
import PostalMime from 'postal-mime'

export interface Mail {
  readonly from: string
  readonly subject: string
  readonly text: string
  readonly html: string | null
  readonly messageId: string | null
  readonly raw: Buffer
}

export async function readMail(stream: Readable): Promise<Mail> {
  const chunks: Buffer[] = []
  for await (const chunk of stream) chunks.push(Buffer.from(chunk))
  const raw = Buffer.concat(chunks)
  const parsed = await PostalMime.parse(raw)
  return {
    from: parsed.from?.address ?? '',
    subject: parsed.subject ?? '',
    text: (parsed.text ?? wordsOf(parsed.html ?? '')).trim(),
    html: parsed.html ?? null,
    messageId: parsed.messageId ?? null,
    raw,
  }
}

/** What a person would read of a mail that has no plain text. */
function wordsOf(html: string): string {
  return html
    .replace(/<(style|script|head)[\s\S]*?<\/\1>/gi, '')
    .replace(/<br\s*\/?>|<\/(p|div|tr|h\d)>/gi, '\n')
    .replace(/<[^>]*>/g, '')
    .replace(/&nbsp;/g, ' ')
    .replace(/&lt;/g, '<')
    .replace(/&gt;/g, '>')
    .replace(/&quot;/g, '"')
    .replace(/&#39;/g, "'")
    .replace(/&amp;/g, '&')
    .replace(/[ \t]+/g, ' ')
    .replace(/\s*\n\s*/g, '\n')
}

export function headersOf(raw: Buffer): Buffer {
  const end = raw.indexOf('\r\n\r\n')
  return end === -1 ? raw : raw.subarray(0, end)
}
