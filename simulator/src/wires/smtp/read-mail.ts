import type { Readable } from 'node:stream'
import PostalMime from 'postal-mime'
import { htmlWords } from './html-words.ts'

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
    text: (parsed.text ?? htmlWords(parsed.html ?? '')).trim(),
    html: parsed.html ?? null,
    messageId: parsed.messageId ?? null,
    raw,
  }
}

export function headersOf(raw: Buffer): Buffer {
  const end = raw.indexOf('\r\n\r\n')
  return end === -1 ? raw : raw.subarray(0, end)
}
