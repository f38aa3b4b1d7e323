/** One list over time: read, read again when there is news, trusted until it is too old. */
import type { IpClass } from '@countersign/contract'
import { isMmdb, openMmdb } from './mmdb.ts'
import type { Origin } from './origin.ts'
import type { Source } from './sources-file.ts'
import { parseTextList } from './text-list.ts'
import { reasonOf } from './unreadable.ts'
import type { Words } from './words.ts'

export interface List {
  readonly classOf: (address: string, words: Words) => IpClass | null
  /** Null if the address is not in this list, or the list has no countries. */
  readonly countryOf: (address: string) => string | null
  /** Null if counting would mean walking through the whole list. */
  readonly networks: number | null
  /** Null if only the file or the download can tell. */
  readonly builtMs: number | null
}

export interface SourceState {
  readonly name: string
  /** Null if each record has its own class. */
  readonly ipClass: IpClass | null
  readonly networks: number | null
  /** When this node loaded it; null if never. */
  readonly loadedAtMs: number | null
  /** Null if it was never read. */
  readonly ageSeconds: number | null
  readonly maxAgeSeconds: number
  /** Null if all is well. */
  readonly problem: string | null
}

export class WatchedSource {
  readonly #source: Source
  readonly #origin: Origin<List>
  readonly #nowMs: () => number
  #list: List | null = null
  #datedMs = 0
  #loadedMs: number | null = null
  #failure: string | null = null

  constructor(source: Source, origin: Origin<List>, nowMs: () => number) {
    this.#source = source
    this.#origin = origin
    this.#nowMs = nowMs
  }

  /** Never rejects. The new list replaces the old one as a whole, or not at all. */
  async refresh(): Promise<void> {
    try {
      const news = await this.#origin.look()
      if (news) {
        if (news.parsed) {
          this.#list = news.parsed
          this.#loadedMs = this.#nowMs()
        }
        this.#datedMs = this.#list?.builtMs ?? news.datedMs
        this.#failure = null
      } else if (!this.#origin.isKeptOnFailure) this.#failure = null
    } catch (error) {
      this.#failure = reasonOf(error)
    }
  }

  /** Never throws: a list that turns out to be damaged says nothing. */
  classOf(address: string, words: Words): IpClass | null {
    try {
      return this.#list?.classOf(address, words) ?? null
    } catch {
      return null
    }
  }

  /** Never throws, as above. */
  countryOf(address: string): string | null {
    try {
      return this.#list?.countryOf(address) ?? null
    } catch {
      return null
    }
  }

  /** Whether people may be refused because of this list; otherwise they are only flagged. */
  get isTrusted(): boolean {
    return (this.#failure === null || this.#origin.isKeptOnFailure) && !this.#isTooOld
  }

  get state(): SourceState {
    const { name, ipClass, maxAgeMs } = this.#source
    return {
      name,
      ipClass,
      networks: this.#list?.networks ?? null,
      loadedAtMs: this.#loadedMs,
      ageSeconds: this.#list ? Math.round(this.#ageMs / 1_000) : null,
      maxAgeSeconds: maxAgeMs / 1_000,
      problem:
        [this.#failure, this.#list && this.#isTooOld ? 'is too old' : null].filter(Boolean).join(', ') ||
        null,
    }
  }

  get #isTooOld(): boolean {
    return this.#ageMs > this.#source.maxAgeMs
  }

  get #ageMs(): number {
    return Math.max(0, this.#nowMs() - this.#datedMs)
  }
}

export async function parseList(bytes: Buffer, { isMmdb: isSaid, ipClass }: Source): Promise<List> {
  if (isSaid ?? isMmdb(bytes)) {
    const { classOf, countryOf, builtMs } = openMmdb(bytes, ipClass)
    return { classOf, countryOf, networks: null, builtMs: builtMs > 0 ? builtMs : null }
  }
  const { ranges, networks } = await parseTextList(bytes)
  return {
    classOf: (_, words) => (ranges.has(words) ? ipClass : null),
    countryOf: () => null,
    networks,
    builtMs: null,
  }
}
