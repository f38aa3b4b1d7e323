import type { ProviderError } from '../../channels/channel.ts'
import type { DueDelivery } from './delivery.ts'

/** Which accounts were asked since this worker took the delivery, and what they answered. */
export class Round {
  due: DueDelivery
  /** Accounts that will not take the message, now or later. */
  readonly tried: string[]
  /** How many of these said in this round that the person cannot be reached. */
  unreachableCount = 0
  /** How many of these were broken in this round, and so said nothing about the person. */
  brokenCount = 0
  readonly #asked = new Set<string>()
  error: ProviderError | null = null
  /** Whether an account that was asked might take the message later. */
  isWorthWaiting = false
  /** The longest pause that an account has asked for. */
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

  /**
   * Whether every tried account that is not broken said that the person cannot be reached. Why an account refused in an
   * earlier round is not stored, so it counts as another reason.
   */
  get isUnreachable(): boolean {
    return this.unreachableCount > 0 && this.unreachableCount + this.brokenCount === this.tried.length
  }

  /** Attempts beyond the first, which was counted when the delivery was taken. */
  get further(): number {
    return Math.max(0, this.#asked.size - 1)
  }
}
