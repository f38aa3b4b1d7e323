/**
 * Finds out which of several hosts takes writes. Each is asked once a second over its own connection. A promotion
 * raises PostgreSQL's timeline number, which tells the promoted host from an old primary that comes back and still
 * takes writes.
 */
import pg from 'pg'
import { type Loop, startLoop } from '../loop.ts'
import { DatabaseClient } from './client.ts'
import { connectClient } from './connect-client.ts'
import { type DatabaseHosts, type Host, hostsOf, nameOf } from './hosts.ts'
import { NoPrimaryError } from './problems.ts'

const lookEveryMs = 1_000
/** While nothing works, every call that fails asks for a check; checks are at least this far apart. */
const soonestMs = 200
const patienceMs = 2_000

/** `behind`: it takes writes, but another host was promoted after it. */
export type HostState = 'primary' | 'standby' | 'behind' | 'unreachable' | 'unknown'

interface Seen {
  readonly state: HostState
  readonly timeline: number
  /** Why it cannot be reached. */
  readonly error?: unknown
}

/** The timeline of a host that does not reveal it. */
const untold = 0

export interface SeenHost {
  readonly host: string
  readonly state: HostState
}

const unseen: Seen = { state: 'unknown', timeline: untold }

export class Primary {
  readonly #urls: readonly string[]
  readonly #hosts: readonly Host[]
  readonly #watches: readonly HostWatch[]
  readonly #onMove: () => void
  readonly #onSeen: (seen: readonly SeenHost[]) => void
  /** The last answer of each host; null before it was first asked. */
  readonly #heard: (Seen | null)[]
  #seen: readonly Seen[]
  #current: number | null = null
  #highestTimeline = 0
  #saidLast = ''
  /** Resolves when every host has been asked once. */
  readonly firstLook: Promise<void>
  readonly #found: () => void

  constructor(
    { urls, hosts }: DatabaseHosts,
    on: {
      /** Called when another host takes writes, or none does any more. */
      readonly move: () => void
      /** Called when the state of a host has changed. */
      readonly seen: (seen: readonly SeenHost[]) => void
    },
  ) {
    this.#urls = urls
    this.#hosts = hosts
    this.#onMove = on.move
    this.#onSeen = on.seen
    this.#heard = hosts.map(() => null)
    this.#seen = hosts.map(() => unseen)
    let found = () => {}
    this.firstLook = new Promise((resolve) => {
      found = resolve
    })
    this.#found = found
    // Each host is asked separately: one that hangs must not hide that another was promoted.
    this.#watches = urls.map(
      (url, index) =>
        new HostWatch(url, (seen) => {
          this.#heard[index] = seen
          const heard = this.#heard.filter((each) => each !== null)
          // Only when all have answered is it known which of two hosts that take writes is newer.
          if (heard.length < this.#hosts.length) return
          this.#judge(heard)
          found()
        }),
    )
  }

  /** The address of the primary; null while no host is known to take writes. */
  get current(): string | null {
    return (this.#current === null ? undefined : this.#urls[this.#current]) ?? null
  }

  get seen(): readonly SeenHost[] {
    return this.#hosts.map((host, index) => ({
      host: nameOf(host),
      state: this.#seen[index]?.state ?? 'unknown',
    }))
  }

  /** Why none of the hosts can be reached, preferably in PostgreSQL's own words; undefined if one can be reached. */
  get whyUnreachable(): unknown {
    const isReached = this.#seen.some(({ state }) => state !== 'unreachable')
    if (isReached) return undefined
    const errors = this.#seen.map(({ error }) => error)
    return errors.find((error) => error instanceof pg.DatabaseError) ?? errors[0]
  }

  /** Checks soon, after a connection or a statement has failed. */
  readonly nudge = (): void => {
    for (const watch of this.#watches) watch.nudge()
  }

  close(): void {
    for (const watch of this.#watches) watch.close()
    // No more answers will come; callers that wait for the first look get a pool that is closed.
    this.#found()
  }

  #judge(heard: readonly Seen[]): void {
    const timelines = heard.filter(({ state }) => state === 'primary').map(({ timeline }) => timeline)
    this.#highestTimeline = Math.max(this.#highestTimeline, ...timelines)
    this.#seen = heard.map((each) => (this.#isBehind(each) ? { ...each, state: 'behind' } : each))
    const said = this.#seen.map(({ state }) => state).join()
    const before = this.#current
    this.#current = this.#choose()
    if (this.#current !== before) this.#onMove()
    if (said !== this.#saidLast) this.#onSeen(this.seen)
    this.#saidLast = said
  }

  #isBehind({ state, timeline }: Seen): boolean {
    return state === 'primary' && timeline !== untold && timeline < this.#highestTimeline
  }

  /** An unreachable primary is kept while no other host takes writes: open connections to it may still work. */
  #choose(): number | null {
    const stateAt = (index: number | null) => (index === null ? undefined : this.#seen[index]?.state)
    if (stateAt(this.#current) === 'primary') return this.#current
    const found = this.#seen.findIndex(({ state }) => state === 'primary')
    if (found >= 0) return found
    return stateAt(this.#current) === 'unreachable' ? this.#current : null
  }
}

class HostWatch {
  readonly #url: string
  readonly #loop: Loop
  #client: pg.Client | null = null
  #lookedMs = Number.NEGATIVE_INFINITY
  #isClosed = false

  constructor(url: string, onSeen: (seen: Seen) => void) {
    this.#url = url
    this.#loop = startLoop({
      round: async () => {
        this.#lookedMs = performance.now()
        const seen = await this.#look()
        if (!this.#isClosed) onSeen(seen)
      },
      pollMs: lookEveryMs,
      onError: () => {},
    })
  }

  nudge(): void {
    if (performance.now() - this.#lookedMs > soonestMs) this.#loop.nudge()
  }

  /** Does not wait for a check that is under way: the host may have vanished silently. */
  close(): void {
    this.#isClosed = true
    void this.#loop.close()
    this.#drop()
  }

  async #look(): Promise<Seen> {
    try {
      this.#client ??= await connect(this.#url, () => this.#drop())
      if (this.#isClosed) throw new Error('it was closed meanwhile')
      return await ask(this.#client)
    } catch (error) {
      this.#drop()
      return { state: 'unreachable', timeline: untold, error }
    }
  }

  #drop(): void {
    const client = this.#client
    this.#client = null
    void client?.end().catch(() => {})
  }
}

async function connect(url: string, onLost: () => void): Promise<pg.Client> {
  const client = new DatabaseClient({
    connectionString: url,
    connectionTimeoutMillis: patienceMs,
    query_timeout: patienceMs,
    application_name: 'countersign watch',
  })
  client.on('error', onLost)
  await connectClient(client)
  return client
}

/** Whether a connection refuses writes. New connections of the pools are asked this too. */
export const readOnlyQuestion = `select pg_is_in_recovery() or current_setting('transaction_read_only') = 'on' as is_read_only`

async function ask(client: pg.Client): Promise<Seen> {
  const { rows } = await client.query<{ is_read_only: boolean }>(readOnlyQuestion)
  if (rows[0]?.is_read_only !== false) return { state: 'standby', timeline: untold }
  return { state: 'primary', timeline: await timelineOf(client) }
}

/** The name of a WAL file begins with the timeline, which a promotion changes at once. Some hosts do not reveal it. */
async function timelineOf(client: pg.Client): Promise<number> {
  try {
    const { rows } = await client.query<{ timeline: string }>(
      'select left(pg_walfile_name(pg_current_wal_lsn()), 8) as timeline',
    )
    return Number.parseInt(rows[0]?.timeline ?? '', 16) || untold
  } catch (error) {
    if (error instanceof pg.DatabaseError) return untold
    // A timeout or a lost connection says nothing about the timeline.
    throw error
  }
}

/** The URL of the host that takes writes, for a single connection. */
export async function getWritableUrl(url: string): Promise<string> {
  const all = hostsOf(url)
  const [only = url] = all.urls
  if (all.urls.length === 1) return only
  const primary = new Primary(all, { move: () => {}, seen: () => {} })
  try {
    await primary.firstLook
    if (primary.current !== null) return primary.current
    if (primary.whyUnreachable !== undefined) throw primary.whyUnreachable
    const seen = primary.seen.map(({ host, state }) => `${host} is ${state}`).join(', ')
    throw new NoPrimaryError(`no host takes writes (${seen})`)
  } finally {
    primary.close()
  }
}
