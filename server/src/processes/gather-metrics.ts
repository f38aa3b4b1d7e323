/** The metrics of all processes together, since a scrape reaches any one of them and means the whole machine. */
import { countedIn, type MetricList, textOfLists } from '../platform/metrics.ts'
import { within } from '../platform/within.ts'

const patienceMs = 2_000

export class GatheredMetrics {
  /** The metrics of each process when it was last asked. */
  readonly #last = new Map<number, MetricList>()
  /** What ended processes had counted: Prometheus takes a falling sum for a restart, and would count the rest twice. */
  #past: MetricList = []
  /** Ended processes are added one after the other, or one would overwrite what another has added. */
  #forgetting: Promise<void> = Promise.resolve()

  /** A process that does not answer in time counts as when it was last asked. */
  async text(processes: ReadonlyMap<number, () => Promise<MetricList>>): Promise<string> {
    const asked = [...processes].map(async ([id, read]) => {
      this.#last.set(id, await read())
    })
    await within(patienceMs, Promise.allSettled(asked))
    return textOfLists([...this.#last.values(), this.#past])
  }

  forget(id: number): Promise<void> {
    this.#forgetting = this.#forgetting.then(async () => {
      const last = this.#last.get(id)
      if (!last) return
      this.#past = await countedIn([this.#past, last])
      this.#last.delete(id)
    })
    return this.#forgetting
  }
}
