/** The text of a message as support may read it: with stars for the code, so that it keeps its length. */
import type { OutgoingMessage } from '../../channels/channel.ts'

const longestKept = 2_000

/** Null if the provider uses a text of its own, or if the text does not contain the code as it is. */
export function maskedText(
  channel: 'sms' | 'whatsapp' | 'telegram' | 'email',
  { text, code, inReplyTo }: Pick<OutgoingMessage, 'text' | 'code' | 'inReplyTo'>,
): string | null {
  if (channel === 'telegram' || (channel === 'whatsapp' && inReplyTo === null)) return null
  if (!text.includes(code)) return null
  return text.replaceAll(code, '*'.repeat(code.length)).slice(0, longestKept)
}
