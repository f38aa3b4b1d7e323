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

/** The message as the carrier received it, for people who want to look at it. */
export interface Raw {
  /** A request, a mail, or the fields of an SMPP submission. */
  readonly text: string
  /** The parts of an SMS, in order. */
  readonly segments?: readonly { readonly encoding: string; readonly octets: number; readonly text: string }[]
}

export type NewMessage = Omit<Message, 'id' | 'received_at'> & { readonly raw?: Raw }

/** A message that never reached its person, and why. */
export interface Missed {
  readonly id: string
  readonly channel: Channel
  readonly to: string
  readonly outcome: string
  readonly at: string
}

interface Listeners {
  readonly message: (message: Message) => void
  readonly missed: (missed: Missed) => void
  readonly cleared: () => void
}

export interface MessageFilter {
  readonly to: string | null
  readonly channel: Channel | null
}

const MAX_MESSAGES = 5_000
const MAX_TOTAL_CHARACTERS = 32 * 1024 * 1024
const MAX_TEXT_CHARACTERS = 64 * 1024
const MAX_HTML_CHARACTERS = 256 * 1024
const MAX_SUBJECT_CHARACTERS = 1_000
const MAX_RAW_CHARACTERS = 64 * 1024
const MAX_MISSED = 500

/** The messages that reached people, oldest first. The oldest are dropped when there are too many. */
export class Inbox {
  readonly #messages = new Map<string, Message>()
  readonly #raws = new Map<string, Raw>()
  readonly #listeners = new Set<Listeners>()
  #missed: Missed[] = []
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
    const { text, ...raw } = incoming.raw ?? { text: message.text }
    this.#raws.set(message.id, { text: text.slice(0, MAX_RAW_CHARACTERS), ...raw })
    this.#characters += this.#sizeOf(message)
    this.#forgetOldest()
    for (const listener of this.#listeners) listener.message(message)
    return message
  }

  /** Records that a message did not arrive, with the outcome. */
  miss(channel: Channel, to: string, outcome: string): void {
    const missed = { id: `mis_${randomUUID()}`, channel, to, outcome, at: new Date().toISOString() }
    this.#missed = [...this.#missed, missed].slice(-MAX_MISSED)
    for (const listener of this.#listeners) listener.missed(missed)
  }

  listMissed(): readonly Missed[] {
    return this.#missed
  }

  clear(): void {
    this.#messages.clear()
    this.#raws.clear()
    this.#missed = []
    this.#characters = 0
    for (const listener of this.#listeners) listener.cleared()
  }

  findRaw(id: string): Raw | null {
    return this.#raws.get(id) ?? null
  }

  find(id: string): Message | null {
    return this.#messages.get(id) ?? null
  }

  list(filter: MessageFilter = { to: null, channel: null }): Message[] {
    return [...this.#messages.values()].filter((message) => matches(message, filter))
  }

  subscribe(listener: Listeners): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  #forgetOldest(): void {
    for (const message of this.#messages.values()) {
      if (this.#messages.size <= MAX_MESSAGES && this.#characters <= MAX_TOTAL_CHARACTERS) return
      this.#characters -= this.#sizeOf(message)
      this.#messages.delete(message.id)
      this.#raws.delete(message.id)
    }
  }

  #sizeOf({ id, text, html }: Message): number {
    return text.length + (html?.length ?? 0) + (this.#raws.get(id)?.text.length ?? 0)
  }
}

function matches(message: Message, filter: MessageFilter): boolean {
  if (filter.channel !== null && message.channel !== filter.channel) return false
  if (filter.to === null || recipientKey(message.to) === recipientKey(filter.to)) return true
  return message.channel === 'whatsapp' && isSameWhatsAppNumber(message.to, filter.to)
}
