/** Plays sends to a decider in order of time; an approval happens only if its send went out. */
import type { Decider } from './engine.ts'
import type { Send } from './traffic.ts'

export interface Played {
  readonly send: Send
  readonly stoppedBy: string | null
}

export interface Approval {
  readonly t: number
  readonly send: Send
}

/** `pending`: approvals of earlier sends that are still to come. */
export function play(sends: readonly Send[], decider: Decider, pending: readonly Approval[] = []): Played[] {
  return playOn(sends, decider, pending).played
}

export function playOn(
  sends: readonly Send[],
  decider: Decider,
  pending: readonly Approval[] = [],
): { readonly played: Played[]; readonly pending: Approval[] } {
  const waiting = new Waiting<Approval>()
  for (const approval of pending) waiting.add(approval)
  const played = sends.map((send) => {
    for (const due of waiting.until(send.t)) decider.approve(due.send, due.t)
    const stoppedBy = decider.decide(send)
    if (stoppedBy === null && send.approvesAfter !== null)
      waiting.add({ t: send.t + send.approvesAfter, send })
    return { send, stoppedBy }
  })
  return { played, pending: [...waiting.until(Number.POSITIVE_INFINITY)] }
}

/** Approvals that are still to come. There are a few hundred at most, so a sorted list is fast enough. */
export class Waiting<Approval extends { readonly t: number }> {
  readonly #list: Approval[] = []

  add(approval: Approval): void {
    let index = this.#list.length
    while (index > 0 && (this.#list[index - 1]?.t ?? 0) < approval.t) index--
    this.#list.splice(index, 0, approval)
  }

  /** Takes out the approvals up to this time, oldest first. */
  *until(t: number): Generator<Approval> {
    for (let next = this.#list.at(-1); next && next.t <= t; next = this.#list.at(-1)) {
      this.#list.pop()
      yield next
    }
  }
}
