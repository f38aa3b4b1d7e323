import { randomUUID } from 'node:crypto'
import type { Channel } from './channel.ts'
import { recipientKey } from './recipient.ts'
import { isSameWhatsAppNumber } from './wires/whatsapp/wa-id.ts'

export interface Message {
  readonly id: string
  readonly channel: Channel
  readonly to: string
  readonly from: string
  readonly text: string
  readonly received_at: string
  readonly subject?: string
  readonly html?: string
}

export type NewMessage = Omit<Message, 'id' | 'received_at'>

export interface MessageFilter {
  readonly to: string | null
  readonly channel: Channel | null
}

const MAX_MESSAGES = 5_000
const MAX_TOTAL_CHARACTERS = 32 * 1024 * 1024
const MAX_TEXT_CHARACTERS = 64 * 1024
const MAX_HTML_CHARACTERS = 256 * 1024
const MAX_SUBJECT_CHARACTERS = 1_000

/** What reached people, oldest first; the oldest go when there are too many. */
export class Inbox {
  readonly #messages = new Map<string, Message>()
  readonly #listeners = new Set<(message: Message) => void>()
  #characters = 0

  add(incoming: NewMessage): Message {
    const message: Message = {
      id: `msg_${randomUUID()}`,
      channel: incoming.channel,
      to: incoming.to,
      from: incoming.from,
      text: incoming.text.slice(0, MAX_TEXT_CHARACTERS),
      received_at: new Date().toISOString(),
      ...(incoming.subject === undefined
        ? {}
        : { subject: incoming.subject.slice(0, MAX_SUBJECT_CHARACTERS) }),
      ...(incoming.html === undefined ? {} : { html: incoming.html.slice(0, MAX_HTML_CHARACTERS) }),
    }
    this.#messages.set(message.id, message)
    this.#characters += size(message)
    this.#forgetOldest()
    for (const listener of this.#listeners) listener(message)
    return message
  }

  find(id: string): Message | null {
    return this.#messages.get(id) ?? null
  }

  list(filter: MessageFilter = { to: null, channel: null }): Message[] {
    return [...this.#messages.values()].filter((message) => matches(message, filter))
  }

  subscribe(listener: (message: Message) => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  #forgetOldest(): void {
    for (const message of this.#messages.values()) {
      if (this.#messages.size <= MAX_MESSAGES && this.#characters <= MAX_TOTAL_CHARACTERS) return
      this.#messages.delete(message.id)
      this.#characters -= size(message)
    }
  }
}

function size(message: Message): number {
  return message.text.length + (message.html?.length ?? 0)
}

function matches(message: Message, filter: MessageFilter): boolean {
  if (filter.channel !== null && message.channel !== filter.channel) return false
  if (filter.to === null || recipientKey(message.to) === recipientKey(filter.to)) return true
  return message.channel === 'whatsapp' && isSameWhatsAppNumber(message.to, filter.to)
}
