import type { Schedule } from '../../schedule.ts'
import type { ShortMessage } from './short-message.ts'

const MAX_INCOMPLETE = 1_000
const KEEP_INCOMPLETE_MS = 60_000

/** Joins the segments of long messages, whatever their order. */
export class Reassembly {
  readonly #incomplete = new Map<string, Map<number, ShortMessage>>()
  readonly #schedule: Schedule

  constructor(schedule: Schedule) {
    this.#schedule = schedule
  }

  /** All parts in order once the last missing one is here, null before. */
  add(from: string, to: string, message: ShortMessage): ShortMessage[] | null {
    const { segment } = message
    if (segment === null) return [message]
    const key = [from, to, segment.reference, segment.total].join(' ')
    const parts = this.#incomplete.get(key) ?? this.#begin(key)
    parts.set(segment.number, message)
    if (parts.size < segment.total) return null
    this.#incomplete.delete(key)
    return [...parts].sort(([one], [other]) => one - other).map(([, part]) => part)
  }

  #begin(key: string): Map<number, ShortMessage> {
    const parts = new Map<number, ShortMessage>()
    this.#incomplete.set(key, parts)
    const oldest = this.#incomplete.keys().next().value
    if (this.#incomplete.size > MAX_INCOMPLETE && oldest !== undefined) this.#incomplete.delete(oldest)
    this.#schedule.run(async () => {
      await this.#schedule.pause(KEEP_INCOMPLETE_MS)
      if (this.#incomplete.get(key) === parts) this.#incomplete.delete(key)
    })
    return parts
  }
}
