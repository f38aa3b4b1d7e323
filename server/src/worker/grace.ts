/** When a worker may take over from others: not while they may have been kept from saying that they live. */
import { graceSeconds, type Pulse } from '../platform/pulse.ts'

export class Grace {
  readonly #pulse: Pick<Pulse, 'isLate'>
  #isWithoutDatabase = false
  #untilMs = Number.NEGATIVE_INFINITY

  constructor(pulse: Pick<Pulse, 'isLate'>) {
    this.#pulse = pulse
  }

  /** The database could not be asked. */
  lose(): void {
    this.#isWithoutDatabase = true
  }

  /** The database has answered. */
  find(nowMs: number): void {
    // A machine that stood still, or had much to do, has held up others as well.
    if (this.#isWithoutDatabase || this.#pulse.isLate()) this.#untilMs = nowMs + graceSeconds * 1_000
    this.#isWithoutDatabase = false
  }

  isOver(nowMs: number): boolean {
    return nowMs >= this.#untilMs
  }
}
