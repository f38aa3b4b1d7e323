/** One round of a delivery that this worker holds: which accounts were asked, and what they said. */
import type { ProviderError } from '../../channels/channel.ts'
import type { DueDelivery } from './delivery.ts'

/** What has been asked and said since the delivery was taken. */
export class Round {
  due: DueDelivery
  /** Accounts that will not take it, now or later. */
  readonly tried: string[]
  /** How many of them have said in this round that the person is not there. */
  unreachableCount = 0
  /** How many of them are broken in this round, and so have said nothing of the person. */
  brokenCount = 0
  readonly #asked = new Set<string>()
  error: ProviderError | null = null
  /** Whether an account that was asked might take it later. */
  isWorthWaiting = false
  /** The longest pause that an asked account wished for. */
  pauseSeconds = 0
  /** What the person would read, with the code masked. */
  sentText: string | null = null

  constructor(due: DueDelivery) {
    this.due = due
    this.tried = [...due.tried]
  }

  ask(providerId: string): void {
    this.#asked.add(providerId)
  }

  hasAsked(providerId: string): boolean {
    return this.#asked.has(providerId)
  }

  get isBegun(): boolean {
    return this.#asked.size > 0
  }

  /** What an account said in an earlier round is not known any more, and taken for another reason. */
  get isUnreachable(): boolean {
    return this.unreachableCount > 0 && this.unreachableCount + this.brokenCount === this.tried.length
  }

  /** The first one was counted when the delivery was taken. */
  get further(): number {
    return Math.max(0, this.#asked.size - 1)
  }
}
