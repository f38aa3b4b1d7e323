/**
 * Which deliveries the carrier's names belong to, as far as this connection's own recent messages go.
 *
 * A message of several parts has one name a part: the delivery is delivered with its last part and failed
 * with its first failure. Names that are not remembered (sent before a restart, or by another node) are passed
 * on as they are, in the form that this carrier has been seen to use, else in every form it may have.
 */
import type { Receipt } from '../channel.ts'
import {
  canonicalMessageId,
  convertMessageId,
  ID_FORMATS,
  type IdFormat,
  receiptMessageIds,
} from './message-id.ts'
import type { ReceiptReport } from './receipt.ts'

const MAX_REMEMBERED_IDS = 10_000

interface SentMessage {
  readonly deliveryId: string
  readonly parts: number
  readonly delivered: Set<string>
  firstId: string | null
}

export class SentMessages {
  readonly #byId = new Map<string, SentMessage>()
  #learnedFormat: IdFormat | null = null

  begin(deliveryId: string, parts: number): SentMessage {
    return { deliveryId, parts, delivered: new Set(), firstId: null }
  }

  add(message: SentMessage, rawId: string): void {
    const id = canonicalMessageId(rawId)
    if (id === null) return
    message.firstId ??= id
    this.#byId.set(id, message)
    const oldest = this.#byId.size > MAX_REMEMBERED_IDS ? this.#byId.keys().next().value : undefined
    if (oldest !== undefined) this.#byId.delete(oldest)
  }

  receiptsOf(report: ReceiptReport): Receipt[] {
    const known = this.#find(report.rawId)
    if (known !== null) return this.#settlePart(known.message, known.id, report)
    return this.#unknownIds(report).map((messageId) => receipt(null, messageId, report))
  }

  #find(rawId: string): { message: SentMessage; id: string } | null {
    for (const format of ID_FORMATS) {
      const id = convertMessageId(rawId, format)
      const message = id === null ? undefined : this.#byId.get(id)
      if (id !== null && message !== undefined) {
        this.#learnedFormat = format
        return { message, id }
      }
    }
    return null
  }

  #settlePart(message: SentMessage, id: string, report: ReceiptReport): Receipt[] {
    if (report.status === 'delivered') {
      message.delivered.add(id)
      if (message.delivered.size < message.parts) return []
    }
    return [receipt(message.deliveryId, message.firstId, report)]
  }

  #unknownIds(report: ReceiptReport): string[] {
    const format = this.#learnedFormat ?? (report.isExactId ? 'same' : null)
    if (format === null) return receiptMessageIds(report.rawId)
    const id = convertMessageId(report.rawId, format) ?? canonicalMessageId(report.rawId)
    return id === null ? [] : [id]
  }
}

function receipt(deliveryId: string | null, messageId: string | null, report: ReceiptReport): Receipt {
  return { deliveryId, messageId, status: report.status, error: report.error, unreachable: false }
}
