/** Questions and answers between the parent and one of its processes, over Node's IPC channel. */

/** Either end of the channel. */
interface End {
  send(message: unknown, callback: (error: Error | null) => void): unknown
  on(event: 'message', listener: (message: unknown) => void): unknown
  on(event: 'disconnect', listener: () => void): unknown
}

/** Maps the name of a question to its argument and its answer. */
type Questions = Readonly<Record<string, readonly [asked: unknown, answered: unknown]>>

type Handlers<Theirs extends Questions> = {
  readonly [Name in keyof Theirs]: (asked: Theirs[Name][0]) => Promise<Theirs[Name][1]>
}

type Message =
  | { readonly line: 'question'; readonly id: number; readonly name: string; readonly asked: unknown }
  | { readonly line: 'answer'; readonly id: number; readonly answered: unknown }
  | { readonly line: 'failure'; readonly id: number; readonly why: string }

/** Both ends are of the same build, so a message with our mark is trusted. Node's own messages arrive here too. */
const isOurs = (message: unknown): message is Message =>
  typeof message === 'object' && message !== null && 'line' in message

interface Waiting {
  readonly resolve: (answered: unknown) => void
  readonly reject: (error: Error) => void
}

export class Ipc<Ours extends Questions, Theirs extends Questions> {
  readonly #end: End
  readonly #handlers: ReadonlyMap<string, (asked: unknown) => Promise<unknown>>
  readonly #waiting = new Map<number, Waiting>()
  #count = 0
  #isCut = false

  constructor(end: End, handlers: Handlers<Theirs>) {
    this.#end = end
    this.#handlers = new Map(Object.entries(handlers))
    end.on('message', (message) => {
      if (isOurs(message)) void this.#take(message)
    })
    end.on('disconnect', () => {
      this.#isCut = true
      for (const { reject } of this.#waiting.values()) reject(new Error('the other process is gone'))
      this.#waiting.clear()
    })
  }

  get isCut(): boolean {
    return this.#isCut
  }

  /** Rejects when the other process fails, or ends before it has answered. */
  ask<Name extends keyof Ours & string>(name: Name, asked: Ours[Name][0]): Promise<Ours[Name][1]> {
    return new Promise<unknown>((resolve, reject) => {
      if (this.#isCut) return reject(new Error('the other process is gone'))
      const id = ++this.#count
      this.#waiting.set(id, { resolve, reject })
      this.#send({ line: 'question', id, name, asked })
    })
  }

  async #take(message: Message): Promise<void> {
    if (message.line === 'question') return this.#answer(message)
    const waiting = this.#waiting.get(message.id)
    this.#waiting.delete(message.id)
    if (message.line === 'answer') waiting?.resolve(message.answered)
    else waiting?.reject(new Error(message.why))
  }

  async #answer({ id, name, asked }: Extract<Message, { line: 'question' }>): Promise<void> {
    try {
      this.#send({ line: 'answer', id, answered: await this.#handlers.get(name)?.(asked) })
    } catch (error) {
      this.#send({ line: 'failure', id, why: error instanceof Error ? error.message : 'failed' })
    }
  }

  #send(message: Message): void {
    // A process that is gone needs no answer: its questions are rejected when the channel closes.
    if (!this.#isCut) this.#end.send(message, () => {})
  }
}
