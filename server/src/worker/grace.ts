/** When a worker may take over from others: not while something may have kept them from giving a sign of life. */
import { graceSeconds, type Pulse } from '../platform/pulse.ts'

export class Grace {
  readonly #pulse: Pick<Pulse, 'isLate'>
  #isWithoutDatabase = false
  #untilMs = Number.NEGATIVE_INFINITY

  constructor(pulse: Pick<Pulse, 'isLate'>) {
    this.#pulse = pulse
  }

  noteNoDatabase(): void {
    this.#isWithoutDatabase = true
  }

  noteDatabase(nowMs: number): void {
    // If this machine stood still or was busy, the others may have been too.
    if (this.#isWithoutDatabase || this.#pulse.isLate()) this.#untilMs = nowMs + graceSeconds * 1_000
    this.#isWithoutDatabase = false
  }

  isOver(nowMs: number): boolean {
    return nowMs >= this.#untilMs
  }
}
