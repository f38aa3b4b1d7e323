/**
 * The real PostgreSQL behind a world: statements run one after the other, with the world's clock. A statement that
 * waits for a lock stays waiting as long as PostgreSQL says so, and continues when the lock is released.
 */
import pg from 'pg'
import { realPause } from './virtual-time.ts'

/** Only after this time is PostgreSQL asked whether a statement waits for a lock. */
const patienceMs = 25
const clients = 10

interface Client {
  readonly client: pg.Client
  readonly pid: number
}

export interface Asked {
  readonly name?: string
  readonly text: string
  readonly values?: unknown[]
}

/** The results or errors of statements that were sent together. */
export type Came = PromiseSettledResult<pg.QueryResult>[]

export interface Running {
  readonly done: Promise<Came>
  isDone: boolean
  readonly pid: number
  readonly sinceMs: number
}

export class Post {
  readonly #url: string
  readonly #free: Client[] = []
  readonly #all: Client[] = []
  readonly #types: pg.CustomTypesConfig
  readonly #names = new Map<string, string>()
  #nowMs = 0
  #startedMs = 0
  #monitor: pg.Client | null = null

  constructor(url: string, types: pg.CustomTypesConfig) {
    this.#url = url
    this.#types = types
  }

  async open(): Promise<void> {
    this.#monitor = await this.#connect()
    for (let count = 0; count < clients; count++) {
      const client = await this.#connect()
      const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid')
      const opened = { client, pid: rows[0]?.pid ?? 0 }
      this.#free.push(opened)
      this.#all.push(opened)
    }
  }

  async close(): Promise<void> {
    for (const { client } of this.#all) await client.end()
    await this.#monitor?.end()
  }

  setTime(nowMs: number): void {
    this.#nowMs = nowMs
  }

  /** Sets the start time that PostgreSQL reports. */
  setStarted(startedMs: number): void {
    this.#startedMs = startedMs
  }

  acquire(): Client {
    // The last one used, because each plans its statements once, and few are needed at the same time.
    const client = this.#free.pop()
    if (!client) throw new Error('more statements under way than a schedule may have')
    return client
  }

  release(client: Client): void {
    this.#free.push(client)
  }

  /** Queries by the world's clock, outside of what is tested. */
  async look<Row extends pg.QueryResultRow>(text: string, values: unknown[] = []): Promise<Row[]> {
    // Both are sent in one round trip.
    void this.#setClock(this.#open)
    return (await this.#open.query<Row>(this.#prepared({ text, values }))).rows
  }

  /** Sends statements together. Resolves when all are done, or when they wait for a lock. */
  async run(client: Client, asked: readonly Asked[]): Promise<Running> {
    void this.#setClock(client.client)
    const done = Promise.allSettled(asked.map((statement) => client.client.query(this.#prepared(statement))))
    const running: Running = { done, isDone: false, pid: client.pid, sinceMs: this.#nowMs }
    void done.then(() => {
      running.isDone = true
    })
    await this.settle(running)
    return running
  }

  /** Waits until it is done, or known to wait for a lock. */
  async settle(running: Running): Promise<void> {
    for (;;) {
      await Promise.race([running.done, realPause(patienceMs)])
      if (running.isDone || (await this.#isBlocked(running.pid))) return
    }
  }

  /** Every statement is prepared and planned once: schedules test the order of things and not their speed. */
  #prepared({ name, text, values }: Asked): { name?: string; text: string; values?: unknown[] } {
    if (name || !values) return { ...(name ? { name } : {}), text, ...(values ? { values } : {}) }
    const known = this.#names.get(text) ?? `unnamed ${this.#names.size}`
    this.#names.set(text, known)
    return { name: known, text, values }
  }

  async rollBack({ client }: Client): Promise<void> {
    await client.query('rollback')
  }

  async cancel({ pid }: Running): Promise<void> {
    await this.#open.query('select pg_cancel_backend($1)', [pid])
  }

  async #isBlocked(pid: number): Promise<boolean> {
    const { rows } = await this.#open.query<{ is_blocked: boolean }>(
      'select cardinality(pg_blocking_pids($1)) > 0 as is_blocked',
      [pid],
    )
    return rows[0]?.is_blocked === true
  }

  async #setClock(client: pg.Client): Promise<void> {
    const values = [new Date(this.#nowMs).toISOString(), new Date(this.#startedMs).toISOString()]
    await client
      .query({
        name: 'virtual-time',
        text: `select set_config('virtual.now', $1, false), set_config('virtual.started', $2, false)`,
        values,
      })
      // In a transaction that has failed, PostgreSQL refuses every statement.
      .catch(() => {})
  }

  get #open(): pg.Client {
    if (!this.#monitor) throw new Error('the post is not open')
    return this.#monitor
  }

  async #connect(): Promise<pg.Client> {
    const url = new URL(this.#url)
    url.searchParams.set('options', '-c search_path=public,virtual,pg_catalog -c deadlock_timeout=50ms')
    const client = new pg.Client({
      connectionString: url.href.replaceAll('+', '%20'),
      types: this.#types,
      application_name: 'schedules',
      pipeline: true,
    })
    await client.connect()
    await client.query('set plan_cache_mode = force_generic_plan')
    await client.query('set synchronous_commit = off')
    return client
  }
}

/** Makes clock functions that return the world's time, and come before PostgreSQL's own in the search path. */
export async function makeClock(query: (text: string) => Promise<unknown>): Promise<void> {
  await query('create schema virtual')
  const read = (name: string) => `current_setting('virtual.${name}')::timestamptz`
  for (const [name, value] of [
    ['clock_timestamp', read('now')],
    ['now', read('now')],
    ['pg_postmaster_start_time', read('started')],
  ])
    await query(
      `create function virtual.${name}() returns timestamptz language sql stable as $$ select ${value} $$`,
    )
  // Column defaults were bound to PostgreSQL's own function when the table was created.
  await query(`
    do $do$ declare one record; begin
      for one in select a.attrelid::regclass as owner, a.attname from pg_attrdef d
                   join pg_attribute a on a.attrelid = d.adrelid and a.attnum = d.adnum
                   join pg_class c on c.oid = d.adrelid
                  where c.relnamespace = 'public'::regnamespace and pg_get_expr(d.adbin, d.adrelid) in ('now()', 'clock_timestamp()')
      loop execute format('alter table %s alter column %I set default virtual.clock_timestamp()', one.owner, one.attname);
      end loop;
    end $do$`)
}
