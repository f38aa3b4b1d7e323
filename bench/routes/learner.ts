/** The service's own chooser, with a map instead of the table. */
import {
  ChannelMemories,
  fade,
  forget,
  type Judged,
  judgeAccounts,
  type Memories,
  type NotedRoute,
  noMemories,
  pick,
  RouteBook,
  remember,
  type Terms,
} from '../../server/src/domain/routing/learned/index.ts'
import type { AppId, CompanyId } from '../../server/src/platform/ids.ts'
import { type AccountName, accountNames } from './world.ts'

interface Row {
  memories: Memories
  atMs: number
  approvals: number
  typingMs: number
}

const app = { companyId: 'cmp_bench' as CompanyId, appId: 'app_bench' as AppId, channel: 'sms' } as const
/** The same as in the store: fewer approvals say too little about how long codes take. */
const approvalsForPace = 10

export class Learner {
  readonly #book = new RouteBook()
  readonly #rows = new Map<string, Row>()
  readonly #terms: Terms
  #memories: ChannelMemories | null = null
  #atMs = 0

  constructor(terms: Terms) {
    this.#terms = terms
  }

  judge(country: string, priceOf: (account: AccountName) => number): readonly Judged[] {
    this.#memories ??= new ChannelMemories(
      [...this.#rows].map(([key, { memories, atMs }]) => {
        const [place = '', providerId = ''] = key.split(' ')
        return { country: place, providerId, memories: fade(memories, (this.#atMs - atMs) / 1000) }
      }),
    )
    const known = this.#memories
    return judgeAccounts(
      accountNames.map((name) => known.candidate(name, country, priceOf(name))),
      this.#terms,
    )
  }

  choose(judged: readonly Judged[], chance: number): AccountName {
    const chosen = accountNames.find((name) => name === pick(judged, chance)?.providerId)
    if (!chosen) throw new Error('nobody was chosen')
    return chosen
  }

  sent(country: string, account: AccountName, atMs: number): void {
    this.#book.sent({ ...app, country, providerId: account }, atMs)
  }

  received(country: string, account: AccountName, isDelivered: boolean, ms: number, atMs: number): void {
    this.#book.received({ ...app, country, providerId: account }, isDelivered, ms, atMs)
  }

  approved(country: string, account: AccountName, typingMs: number, atMs: number): void {
    const row = this.#row(country, account, atMs)
    row.approvals++
    row.typingMs += typingMs
    this.#add(row, { ripe: 0, approved: 1 }, atMs)
  }

  /** Called once a second, as on a node. */
  write(atMs: number): void {
    for (const route of this.#book.take(atMs).routes) this.#write(route, atMs)
    this.#memories = null
    this.#atMs = atMs
  }

  #write({ country, providerId, ripe, ...route }: NotedRoute, atMs: number): void {
    const row = this.#row(country ?? '', providerId, atMs)
    this.#add(row, { ripe, approved: 0 }, atMs)
    if (row.approvals >= approvalsForPace)
      this.#book.learnPace({ ...route, country, providerId }, row.typingMs / row.approvals)
  }

  #row(country: string, account: string, atMs: number): Row {
    const key = `${country} ${account}`
    const row = this.#rows.get(key) ?? { memories: noMemories, atMs, approvals: 0, typingMs: 0 }
    this.#rows.set(key, row)
    return row
  }

  #add(row: Row, more: { readonly ripe: number; readonly approved: number }, atMs: number): void {
    row.memories = forget(remember(fade(row.memories, (atMs - row.atMs) / 1000), more))
    row.atMs = atMs
  }
}
