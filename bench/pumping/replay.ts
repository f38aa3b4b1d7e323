/** Plays sends to a decider in the order of time; an approval happens only if its send went out. */
import type { Decider } from './engine.ts'
import type { Send } from './traffic.ts'

export interface Played {
  readonly send: Send
  readonly stoppedBy: string | null
}

export function play(sends: readonly Send[], decider: Decider): Played[] {
  const waiting = new Waiting()
  return sends.map((send) => {
    for (let due = waiting.take(send.t); due; due = waiting.take(send.t)) decider.approve(due.send, due.t)
    const stoppedBy = decider.decide(send)
    if (stoppedBy === null && send.approvesAfter !== null)
      waiting.add({ t: send.t + send.approvesAfter, send })
    return { send, stoppedBy }
  })
}

interface Approval {
  readonly t: number
  readonly send: Send
}

/** A few hundred at most wait at a time, so a sorted list will do. */
class Waiting {
  readonly #list: Approval[] = []

  add(approval: Approval): void {
    let index = this.#list.length
    while (index > 0 && (this.#list[index - 1]?.t ?? 0) < approval.t) index--
    this.#list.splice(index, 0, approval)
  }

  take(t: number): Approval | undefined {
    const next = this.#list.at(-1)
    return next && next.t <= t ? this.#list.pop() : undefined
  }
}
