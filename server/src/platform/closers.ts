/** Keeps what has been opened so far, and closes it stage by stage: at the end, or when opening fails half-way. */
import { describeError, type Log } from './log.ts'

const defaultLimitMs = 2_000
/** A stop that takes longer than this reports what it waits for, and repeats the report at this interval. */
const patienceMs = 3_000

export interface ClosingNews {
  readonly log: Log
  /** Called every few seconds with the names of the parts that have not closed yet. */
  readonly onWaiting: (names: readonly string[]) => void
}

interface Closer {
  /** The name in logs and in reports of what is waited for. */
  readonly name: string
  readonly close: () => unknown
  readonly limitMs: number
}

export class Closers<Stage extends string> {
  readonly #stages: readonly Stage[]
  readonly #news: ClosingNews
  readonly #closers = new Map<Stage, Closer[]>()
  #closing: Promise<void> | null = null

  /** The parts of one stage close at the same time, so whatever a part uses must be in a later stage. */
  constructor(stages: readonly Stage[], news: ClosingNews) {
    this.#stages = stages
    this.#news = news
  }

  add(stage: Stage, name: string, close: () => unknown, limitMs = defaultLimitMs): void {
    const closers = this.#closers.get(stage) ?? []
    closers.push({ name, close, limitMs })
    this.#closers.set(stage, closers)
  }

  readonly close = (): Promise<void> => {
    this.#closing ??= this.#closeAll()
    return this.#closing
  }

  async #closeAll(): Promise<void> {
    for (const stage of this.#stages) {
      const waiting = new Set<string>()
      const telling = setInterval(() => this.#news.onWaiting([...waiting]), patienceMs)
      const closers = this.#closers.get(stage) ?? []
      await Promise.all(closers.map((closer) => this.#closeOne(closer, waiting)))
      clearInterval(telling)
    }
  }

  /** Never rejects: a part that does not close must not keep the others from closing. */
  async #closeOne({ name, close, limitMs }: Closer, waiting: Set<string>): Promise<void> {
    waiting.add(name)
    let timer: NodeJS.Timeout | undefined
    const late = new Promise<void>((resolve) => {
      timer = setTimeout(() => {
        this.#news.log('warn', 'something did not stop in its time', { part: name, limit_ms: limitMs })
        resolve()
      }, limitMs)
    })
    const closed = (async () => close())().catch((error: unknown) =>
      this.#news.log('warn', 'something did not stop as it should', { part: name, ...describeError(error) }),
    )
    await Promise.race([closed, late])
    clearTimeout(timer)
    waiting.delete(name)
  }
}

/** Runs `open`; if it fails, everything that it had opened is closed again. */
export async function openWhole<Stage extends string, Opened>(
  stages: readonly Stage[],
  news: ClosingNews,
  open: (closers: Closers<Stage>) => Promise<Opened>,
): Promise<Opened & { readonly close: () => Promise<void> }> {
  const closers = new Closers(stages, news)
  try {
    return { ...(await open(closers)), close: closers.close }
  } catch (error) {
    await closers.close()
    throw error
  }
}
