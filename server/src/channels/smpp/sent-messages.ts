/**
 * Maps the carrier's ids to deliveries, for recent messages of this connection.
 *
 * A message of several parts has one id for each part: the delivery is delivered with its last part, and failed with
 * its first failure. Ids that are not remembered (sent before a restart, or by another node) are passed on in the form
 * that this carrier has been seen to use, else in every form that they may have.
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
/**
 * Carriers count up: an id of this many digits, read in another number format, is far from those of the messages that
 * are remembered. A shorter one may equal the id of another recent message.
 */
const UNMISTAKABLE_DIGITS = 6

interface SentMessage {
  readonly deliveryId: string
  readonly parts: number
  readonly delivered: Set<string>
  firstId: string | null
}

interface Match {
  readonly format: IdFormat
  readonly id: string
  readonly message: SentMessage
}

export class SentMessages {
  readonly #byId = new Map<string, SentMessage>()
  /** How often a message was found in exactly one form, by form. */
  readonly #seen = new Map<IdFormat, number>()
  /** The form that was seen most often. */
  #usual: IdFormat | null = null

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

  /** Null while other parts of the message are still awaited. */
  receiptOf(report: ReceiptReport): Receipt | null {
    const known = this.#find(report.rawId)
    return known ? this.#settlePart(known, report) : this.#passOn(report)
  }

  /** A carrier mostly uses one form: a short id that matches in another counts as chance, unless that occurs more. */
  #find(rawId: string): Match | undefined {
    const matches = ID_FORMATS.flatMap((format): Match[] => {
      const id = convertMessageId(rawId, format)
      const message = id === null ? undefined : this.#byId.get(id)
      return id === null || message === undefined ? [] : [{ format, id, message }]
    })
    const [first, ...others] = matches
    if (first && others.length === 0) this.#see(first.format)
    if (this.#usual !== null) {
      const usual = matches.find(({ format }) => format === this.#usual)
      return usual ?? (others.length === 0 && first && isUnmistakable(rawId, first) ? first : undefined)
    }
    return others.every(({ message }) => message === first?.message) ? first : undefined
  }

  #see(format: IdFormat): void {
    const count = (this.#seen.get(format) ?? 0) + 1
    this.#seen.set(format, count)
    if (this.#usual === null || count > (this.#seen.get(this.#usual) ?? 0)) this.#usual = format
  }

  #settlePart({ message, id }: Match, report: ReceiptReport): Receipt | null {
    if (report.status === 'delivered') {
      message.delivered.add(id)
      if (message.delivered.size < message.parts) return null
    }
    return receipt(message.deliveryId, message.firstId, report)
  }

  #passOn(report: ReceiptReport): Receipt | null {
    const format = this.#usual ?? (report.isExactId ? 'same' : null)
    if (format !== null) {
      const id = convertMessageId(report.rawId, format) ?? canonicalMessageId(report.rawId)
      return id === null ? null : receipt(null, id, report)
    }
    const [id, ...otherIds] = receiptMessageIds(report.rawId)
    return id === undefined ? null : { ...receipt(null, id, report), otherIds }
  }
}

const isUnmistakable = (rawId: string, { id }: Match) =>
  Math.max(canonicalMessageId(rawId)?.length ?? 0, id.length) >= UNMISTAKABLE_DIGITS

function receipt(deliveryId: string | null, messageId: string | null, report: ReceiptReport): Receipt {
  return { deliveryId, messageId, status: report.status, error: report.error, unreachable: false }
}
