/** Where messages wait for their turn at one account: companies take turns, and their messages keep their order. */
import { Window } from './window.ts'

/** How the turn of a message ended. */
export type Ending = { readonly latencyMs: number } | 'erred' | 'unasked'

type Admit = (isAdmitted: boolean) => void

export class AccountQueue {
  readonly #window = new Window()
  readonly #waiting = new Map<string, Admit[]>()
  #inHand = 0
  #inFlight = 0

  /** How many more messages may be taken in hand for this account. */
  get room(): number {
    return this.#window.mostInHand - this.#inHand
  }

  get isIdle(): boolean {
    return this.#inHand === 0
  }

  take(): void {
    this.#inHand++
  }

  giveBack(): void {
    this.#inHand--
  }

  /** True when it is the message's turn, and `leave` must follow; false if all are turned away. */
  enter(companyId: string): Promise<boolean> {
    if (this.#inFlight < this.#window.limit) {
      this.#inFlight++
      return Promise.resolve(true)
    }
    return new Promise((admit) => {
      const own = this.#waiting.get(companyId)
      if (own) own.push(admit)
      else this.#waiting.set(companyId, [admit])
    })
  }

  leave(ending: Ending): void {
    const wasFull = this.#inFlight >= this.#window.limit
    this.#inFlight--
    if (ending === 'erred') this.#window.erred(performance.now())
    else if (ending !== 'unasked') this.#window.answered(ending.latencyMs, wasFull)
    this.#admitNext()
  }

  turnAway(): void {
    for (const admits of this.#waiting.values()) for (const admit of admits) admit(false)
    this.#waiting.clear()
  }

  #admitNext(): void {
    while (this.#inFlight < this.#window.limit) {
      const next = this.#waiting.entries().next().value
      if (!next) return
      const [companyId, admits] = next
      const admit = admits.shift()
      // The company goes to the end of the line.
      this.#waiting.delete(companyId)
      if (admits.length > 0) this.#waiting.set(companyId, admits)
      this.#inFlight++
      admit?.(true)
    }
  }
}
