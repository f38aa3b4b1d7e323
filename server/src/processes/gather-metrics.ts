/** The metrics of all processes together: a scrape reaches any one of them, but is about the whole machine. */
import { countedIn, type MetricList, textOfLists } from '../platform/metrics.ts'
import { oneAtATime } from '../platform/one-at-a-time.ts'
import { within } from '../platform/within.ts'

const patienceMs = 2_000

export class GatheredMetrics {
  /** The metrics of each process at its last answer. */
  readonly #last = new Map<number, MetricList>()
  /** The counts of processes that have ended: Prometheus would take a falling sum for a restart, and count twice. */
  #past: MetricList = []

  /** For a process that does not answer in time, its last answer is used. */
  async text(processes: ReadonlyMap<number, () => Promise<MetricList>>): Promise<string> {
    const asked = [...processes].map(async ([id, read]) => {
      this.#last.set(id, await read())
    })
    await within(patienceMs, Promise.allSettled(asked))
    return textOfLists([...this.#last.values(), this.#past])
  }

  /** One after another, so that no process overwrites what another has added. */
  readonly forget = oneAtATime(async (id: number) => {
    const last = this.#last.get(id)
    if (!last) return
    this.#past = await countedIn([this.#past, last])
    this.#last.delete(id)
  })
}
