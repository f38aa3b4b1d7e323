import type { Schedule } from '../../schedule.ts'
import type { ShortMessage } from './short-message.ts'

const MAX_INCOMPLETE = 1_000
const KEEP_INCOMPLETE_MS = 60_000

/** Joins the segments of long messages, whatever their order. */
export class Reassembly {
  readonly #incomplete = new Map<string, Map<number, string>>()
  readonly #schedule: Schedule

  constructor(schedule: Schedule) {
    this.#schedule = schedule
  }

  /** The whole text once its last missing segment is here, null before. */
  add(from: string, to: string, message: ShortMessage): string | null {
    const { segment, text } = message
    if (segment === null) return text
    const key = [from, to, segment.reference, segment.total].join(' ')
    const parts = this.#incomplete.get(key) ?? this.#begin(key)
    parts.set(segment.number, text)
    if (parts.size < segment.total) return null
    this.#incomplete.delete(key)
    return [...parts]
      .sort(([one], [other]) => one - other)
      .map(([, part]) => part)
      .join('')
  }

  #begin(key: string): Map<number, string> {
    const parts = new Map<number, string>()
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
