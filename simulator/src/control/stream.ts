import { randomUUID } from 'node:crypto'
import type { ServerResponse } from 'node:http'
import type { Behaviours } from '../behaviour.ts'
import type { Handler } from '../http/router.ts'
import type { Inbox, Message, Missed } from '../inbox.ts'
import { showRecipient } from '../show-recipient.ts'
import type { WhatsAppPeople, WrittenMessage } from '../wires/whatsapp/people.ts'
import { present } from './behaviour.ts'

const SNAPSHOT_MESSAGES = 500
const KEEP_ALIVE_MS = 20_000
const MAX_RULES_SHOWN = 50
const MAX_UNREAD_BYTES = 8 * 1024 * 1024

/** One stream of everything that happens, for any number of open pages. */
export class MessageStream {
  readonly #instance = randomUUID()
  readonly #clients = new Set<ServerResponse>()
  readonly #inbox: Inbox
  readonly #people: WhatsAppPeople
  readonly #keepAlive: NodeJS.Timeout
  readonly #stops: (() => void)[]

  readonly #behaviours: Behaviours

  constructor(inbox: Inbox, people: WhatsAppPeople, behaviours: Behaviours) {
    this.#inbox = inbox
    this.#people = people
    this.#behaviours = behaviours
    this.#keepAlive = setInterval(() => this.#broadcast(': still here\n\n'), KEEP_ALIVE_MS)
    this.#stops = [
      inbox.subscribe({
        message: (message) => this.#broadcast(received(message)),
        missed: (one) => this.#broadcast(missed(one)),
        cleared: () => this.#broadcast(event('cleared', {})),
      }),
      people.subscribe((message) => this.#broadcast(written(message))),
      behaviours.subscribe(() => this.#broadcast(this.#rules())),
    ]
  }

  readonly handle: Handler = ({ request, response }) => {
    response.writeHead(200, {
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
    })
    response.on('error', () => response.destroy())
    if (request.method === 'HEAD') {
      response.end()
      return null
    }
    // When the instance has changed, a page forgets what it knew from the last one.
    response.write(event('hello', { instance: this.#instance }))
    for (const message of this.#inbox.list().slice(-SNAPSHOT_MESSAGES)) response.write(received(message))
    for (const message of this.#people.list()) response.write(written(message))
    for (const one of this.#inbox.listMissed()) response.write(missed(one))
    response.write(this.#rules())
    response.write(event('ready', {}))
    this.#clients.add(response)
    response.on('close', () => this.#clients.delete(response))
    return null
  }

  #rules(): string {
    return event(
      'rules',
      this.#behaviours
        .list()
        .slice(-MAX_RULES_SHOWN)
        .map((rule) => ({ ...present(rule), shown_to: showRecipient(rule.to) })),
    )
  }

  close(): void {
    clearInterval(this.#keepAlive)
    for (const stop of this.#stops) stop()
    for (const client of this.#clients) client.end()
    this.#clients.clear()
  }

  #broadcast(text: string): void {
    for (const client of this.#clients) {
      if (client.writableLength > MAX_UNREAD_BYTES) client.destroy()
      else client.write(text)
    }
  }
}

function received(message: Message): string {
  const { html, ...rest } = message
  return event('message', { ...rest, has_html: html !== undefined, shown_to: showRecipient(message.to) })
}

function missed(one: Missed): string {
  return event('missed', { ...one, shown_to: showRecipient(one.to) })
}

function written(message: WrittenMessage): string {
  return event('written', message)
}

function event(name: string, data: unknown): string {
  return `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`
}
