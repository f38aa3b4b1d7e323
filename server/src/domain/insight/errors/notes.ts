/**
 * Errors that this node has answered and not written yet. Each kind (app, key, endpoint, status, type) has a count for
 * each hour and its newest ones in full, so that memory and rows grow with kinds, never with how many errors there are.
 */
import { newId } from '../../../platform/ids.ts'
import { type CallError, keptOfKind } from './call-error.ts'

export interface ErrorBounds {
  /** Beyond this many, errors of further kinds are not recorded until the next write. */
  readonly kinds: number
  /** How many of one kind are kept in full until the next write. */
  readonly samplesOfKind: number
  /** How many of all kinds together are kept in full; beyond that each new one replaces the oldest of its kind. */
  readonly samples: number
}

const errorBounds: ErrorBounds = { kinds: 2_000, samplesOfKind: keptOfKind, samples: 500 }
const hourMs = 3_600_000

export interface NotedError extends CallError {
  readonly errorId: string
}

/** The errors of one kind in one hour. */
export interface NotedKind {
  readonly first: CallError
  readonly hourMs: number
  readonly count: number
  readonly samples: readonly NotedError[]
}

interface Gathering {
  readonly first: CallError
  readonly hourMs: number
  count: number
  readonly samples: NotedError[]
}

export class ErrorNotes {
  readonly #bounds: ErrorBounds
  #kinds = new Map<string, Gathering>()
  #samples = 0
  #lost = 0

  constructor(bounds: ErrorBounds = errorBounds) {
    this.#bounds = bounds
  }

  note(error: CallError): void {
    const startsAtMs = Math.floor(error.atMs / hourMs) * hourMs
    const kind = this.#gatheringOf(error, startsAtMs)
    if (!kind) {
      this.#lost++
      return
    }
    kind.count++
    this.#keep(kind, { ...error, errorId: newId('error', error.atMs) })
  }

  #keep({ samples }: Gathering, error: NotedError): void {
    const { samplesOfKind, samples: most } = this.#bounds
    const isFull = samples.length >= samplesOfKind || (this.#samples >= most && samples.length > 0)
    if (isFull) samples.shift()
    else this.#samples++
    samples.push(error)
  }

  #gatheringOf(error: CallError, startsAtMs: number): Gathering | null {
    const { appId, keyId, endpoint, status, type } = error
    const key = [appId, keyId, endpoint, status, type, startsAtMs].join(' ')
    const known = this.#kinds.get(key)
    if (known) return known
    if (this.#kinds.size >= this.#bounds.kinds) return null
    const made = { first: error, hourMs: startsAtMs, count: 0, samples: [] }
    this.#kinds.set(key, made)
    return made
  }

  /** Takes everything, and starts again. */
  take(): { readonly kinds: readonly NotedKind[]; readonly lost: number } {
    const kinds = [...this.#kinds.values()]
    const lost = this.#lost
    this.#kinds = new Map()
    this.#samples = 0
    this.#lost = 0
    return { kinds, lost }
  }

  /** Keeps what could not be written for the next time: all counts, and as many in full as there is room for. */
  putBack(kinds: readonly NotedKind[]): void {
    for (const { first, hourMs: startsAtMs, count, samples } of kinds) {
      const kind = this.#gatheringOf(first, startsAtMs)
      if (!kind) {
        this.#lost += count
        continue
      }
      kind.count += count
      const newer = kind.samples.splice(0)
      this.#samples -= newer.length
      for (const sample of [...samples, ...newer]) this.#keep(kind, sample)
    }
  }
}
