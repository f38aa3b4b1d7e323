/** What an app has seen of its accounts on one channel, by country: what is believed of each, here and elsewhere. */
import type { Candidate } from './judge.ts'
import { believed, conversionOf, fallOf, type Memories, type Memory } from './memory.ts'

export interface CountryMemories {
  readonly country: string | null
  readonly providerId: string
  readonly memories: Memories
}

const nothing: Memory = { ripe: 0, approved: 0 }

interface Sum {
  ripe: number
  approved: number
  expected: number
}

export class ChannelMemories {
  readonly #here = new Map<string, Memory>()
  readonly #usual = new Map<string, number>()
  readonly #ofAccount = new Map<string, Sum>()

  constructor(rows: readonly CountryMemories[]) {
    const ofCountry = new Map<string | null, Sum>()
    const suspicions = new Map<string, number>()
    for (const { providerId, memories } of rows)
      suspicions.set(providerId, (suspicions.get(providerId) ?? 0) + suspicionOf(memories))
    for (const { country, providerId, memories } of rows) {
      const elsewhere = (suspicions.get(providerId) ?? 0) - suspicionOf(memories)
      const memory = believed(memories, elsewhere)
      this.#here.set(keyOf(country, providerId), memory)
      add(ofCountry, country, memory, 0)
    }
    for (const [country, sum] of ofCountry) this.#usual.set(country ?? '', conversionOf(sum))
    for (const { country, providerId } of rows) {
      const memory = this.#of(country, providerId)
      add(this.#ofAccount, providerId, memory, this.#expected(country, memory))
    }
  }

  candidate(providerId: string, country: string | null, priceMicros: number): Candidate {
    const here = this.#of(country, providerId)
    const all = this.#ofAccount.get(providerId) ?? { ...nothing, expected: 0 }
    const less = (whole: number, part: number) => Math.max(0, whole - part)
    return {
      providerId,
      priceMicros,
      here,
      elsewhere: {
        ripe: less(all.ripe, here.ripe),
        approved: less(all.approved, here.approved),
        expected: less(all.expected, this.#expected(country, here)),
      },
    }
  }

  #of(country: string | null, providerId: string): Memory {
    return this.#here.get(keyOf(country, providerId)) ?? nothing
  }

  #expected(country: string | null, { ripe }: Memory): number {
    return ripe * (this.#usual.get(country ?? '') ?? conversionOf(nothing))
  }
}

/** A bound for one country: a carrier falls everywhere at once more often, but one country alone must not decide. */
const mostOfOne = 4
/** How suspect the account is; below zero if it does better than believed. */
const suspicionOf = (memories: Memories) =>
  Math.min(mostOfOne, Math.max(memories.fell, fallOf(memories), -mostOfOne))

const keyOf = (country: string | null, providerId: string) => `${country ?? ''} ${providerId}`

function add<Key>(sums: Map<Key, Sum>, key: Key, { ripe, approved }: Memory, expected: number): void {
  const sum = sums.get(key) ?? { ripe: 0, approved: 0, expected: 0 }
  sums.set(key, {
    ripe: sum.ripe + ripe,
    approved: sum.approved + approved,
    expected: sum.expected + expected,
  })
}
