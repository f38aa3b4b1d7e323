/**
 * What the table knows of an app's routes, remembered by this node for a second or two. While it is read again, calls
 * get what was read last: a send waits only if this node knows nothing of the app yet.
 */
import type { ChannelName } from '@countersign/contract'
import type { Database } from '../../../platform/database.ts'
import type { AppId, CompanyId } from '../../../platform/ids.ts'
import { setNewest } from '../../../platform/set-newest.ts'
import { ChannelMemories } from './channel-memories.ts'
import { type Judged, judgeAccounts, type Terms } from './judge.ts'
import { fade } from './memory.ts'
import { type RouteCounts, readRoutes } from './store.ts'

const freshMs = 1_000
/** Older knowledge is not used: the app has not sent for a while, or the table could not be read. */
const staleMs = 15_000
const mostApps = 2_000

export interface Priced {
  readonly providerId: string
  readonly priceMicros: number
}

export class KnownRoutes {
  readonly counts: readonly RouteCounts[]
  readonly #memories = new Map<ChannelName, ChannelMemories>()
  readonly #judged = new Map<string, readonly Judged[]>()

  constructor(counts: readonly RouteCounts[]) {
    this.counts = counts
  }

  /** `accounts` are in the order of their priority, at least one. The result is computed once for all equal calls. */
  judge(
    channel: ChannelName,
    country: string | null,
    accounts: readonly Priced[],
    terms: Terms,
  ): readonly Judged[] {
    const asked = accounts.map(({ providerId, priceMicros }) => `${providerId} ${priceMicros}`)
    const name = [channel, country, terms.floor, terms.trying, ...asked].join(' ')
    const known = this.#judged.get(name)
    if (known) return known
    const memories = this.#memoriesOf(channel)
    const judged = judgeAccounts(
      accounts.map(({ providerId, priceMicros }) => memories.candidate(providerId, country, priceMicros)),
      terms,
    )
    this.#judged.set(name, judged)
    return judged
  }

  #memoriesOf(channel: ChannelName): ChannelMemories {
    const known = this.#memories.get(channel)
    if (known) return known
    const memories = new ChannelMemories(
      this.counts
        .filter((row) => row.channel === channel)
        .map((row) => ({ ...row, memories: fade(row.memories, row.ageSeconds) })),
    )
    this.#memories.set(channel, memories)
    return memories
  }
}

interface Remembered {
  readonly routes: KnownRoutes
  readonly readAtMs: number
}

export class RouteKnowledge {
  readonly #database: Database
  readonly #remembered = new Map<AppId, Remembered>()
  readonly #reading = new Map<AppId, Promise<KnownRoutes>>()

  constructor(database: Database) {
    this.#database = database
  }

  /** Null if the routes cannot be read: then priority decides. */
  async of(companyId: CompanyId, appId: AppId): Promise<KnownRoutes | null> {
    const known = this.#remembered.get(appId)
    const ageMs = known ? performance.now() - known.readAtMs : Number.POSITIVE_INFINITY
    if (known && ageMs < freshMs) return known.routes
    const reading = this.#read(companyId, appId).catch(() => null)
    return known && ageMs < staleMs ? known.routes : reading
  }

  #read(companyId: CompanyId, appId: AppId): Promise<KnownRoutes> {
    const underWay = this.#reading.get(appId)
    if (underWay) return underWay
    const reading = readRoutes(this.#database.of(companyId), appId)
      .then((counts) => {
        const routes = new KnownRoutes(counts)
        setNewest(this.#remembered, appId, { routes, readAtMs: performance.now() }, mostApps)
        return routes
      })
      .finally(() => this.#reading.delete(appId))
    this.#reading.set(appId, reading)
    return reading
  }
}
