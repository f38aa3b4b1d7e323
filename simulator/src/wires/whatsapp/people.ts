import { newWhatsAppMessageId } from './message-id.ts'
import { toWaId } from './wa-id.ts'

export interface WrittenMessage {
  readonly id: string
  /** Null if WhatsApp hides the person's number. */
  readonly from: string | null
  readonly to: string
  readonly text: string
  readonly sent_at: string
}

const REPLY_WINDOW_MS = 24 * 60 * 60 * 1_000
const MAX_PEOPLE = 10_000
const MAX_WRITTEN = 500

/** The people on WhatsApp: what they wrote, and how long the business may reply to them. */
export class WhatsAppPeople {
  readonly #lastMessages = new Map<string, WrittenMessage & { readonly from: string }>()
  readonly #written: WrittenMessage[] = []
  readonly #listeners = new Set<(message: WrittenMessage) => void>()

  write(message: { from: string | null; to: string; text: string }): WrittenMessage {
    const { from, ...rest } = message
    const written = { ...rest, id: newWhatsAppMessageId(), sent_at: new Date().toISOString() }
    if (from !== null) this.#remember({ ...written, from })
    this.#written.push({ ...written, from })
    if (this.#written.length > MAX_WRITTEN) this.#written.shift()
    for (const listener of this.#listeners) listener({ ...written, from })
    return { ...written, from }
  }

  mayBeRepliedTo(phone: string): boolean {
    const last = this.#lastMessages.get(toWaId(phone))
    return last !== undefined && Date.now() - Date.parse(last.sent_at) < REPLY_WINDOW_MS
  }

  /** The number as its owner writes it. The business may have used WhatsApp's spelling. */
  ownSpelling(phone: string): string {
    return this.#lastMessages.get(toWaId(phone))?.from ?? phone
  }

  /** Forgets what they wrote, but not whom the business may reply to. */
  forgetWritten(): void {
    this.#written.length = 0
  }

  list(): readonly WrittenMessage[] {
    return this.#written
  }

  subscribe(listener: (message: WrittenMessage) => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  #remember(message: WrittenMessage & { readonly from: string }): void {
    const waId = toWaId(message.from)
    this.#lastMessages.delete(waId)
    this.#lastMessages.set(waId, message)
    const oldest = this.#lastMessages.keys().next().value
    if (this.#lastMessages.size > MAX_PEOPLE && oldest !== undefined) this.#lastMessages.delete(oldest)
  }
}
