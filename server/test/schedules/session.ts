/**
 * A connection on which each packet takes two steps: it reaches PostgreSQL, and the answer reaches the node. Either can
 * be lost, and the node then gets the driver's error.
 */
import { AppError } from '@countersign/contract'
import pg from 'pg'
import type { RunStatement, Statement } from '../../src/platform/tenant.ts'
import type { Asked, Came, Post, Running } from './post.ts'
import type { Actor, World } from './world.ts'

/** The same as the pool sets for every connection. */
const lockTimeoutMs = 5_000
/** Percentages of packets in a storm. */
const lost = { none: 95, before: 2.5, after: 2.5 }

const connectionLost = () =>
  Object.assign(
    new AppError('UnavailableError', 'The database does not answer right now. Try again shortly.', {
      retry_after: 1,
    }),
    {
      cause: new Error('Connection terminated unexpectedly'),
    },
  )

interface Pending {
  readonly asked: Asked
  readonly resolve: (result: pg.QueryResult) => void
  readonly reject: (error: unknown) => void
}

/** What all connections of one world share. */
export interface Shared {
  readonly world: World
  readonly post: Post
  readonly sessions: Set<Session>
  readonly onRun: (actor: Actor, asked: Asked) => void
  block(session: Session, running: Running, onDone: () => Promise<void>): void
  unblock(): Promise<void>
}

/** A connection while a node uses it. */
export class Session {
  readonly actor: Actor
  readonly #wires: Shared
  /** True if it has one statement and no transaction. */
  readonly #isAlone: boolean
  #client: ReturnType<Post['acquire']> | null = null
  #waiting: Pending[] = []
  #isAsking = false
  #isRunning = false
  #isLost = false
  #usedAtMs: number
  lockTimeoutMs = lockTimeoutMs
  hasTimedOut = false

  constructor(wires: Shared, actor: Actor, isAlone = false) {
    this.#wires = wires
    this.actor = actor
    this.#isAlone = isAlone
    this.#usedAtMs = wires.world.nowMs
    wires.sessions.add(this)
  }

  readonly run: RunStatement = (statement) => this.ask(statement)

  // biome-ignore lint/suspicious/noExplicitAny: the caller decides the type of the rows
  ask(statement: Statement): Promise<pg.QueryResult<any>> {
    const { world } = this.#wires
    return new Promise((resolve, reject) => {
      this.#waiting.push({ asked: this.#locally(statement), resolve, reject })
      if (this.#isAsking) return
      this.#isAsking = true
      const what = statement.name ?? statement.text.trim().split('\n')[0]?.slice(0, 60) ?? ''
      world.add({ actor: this.actor, what: `asks ${what}`, outlives: this, run: () => this.#reach(what) })
    })
  }

  /** Lock timeouts follow the world's clock, so they are not passed on to PostgreSQL. */
  #locally({ text, ...statement }: Statement): Asked {
    const timeout = /^set local lock_timeout = (\w+)$/.exec(text)?.[1]
    if (timeout) this.lockTimeoutMs = timeout === 'default' ? lockTimeoutMs : Number(timeout)
    if (text.includes("set_config('lock_timeout'")) this.lockTimeoutMs = 300
    const isOurs = timeout !== undefined
    return {
      ...statement,
      text: isOurs
        ? 'select 1'
        : text.replace(/set_config\('lock_timeout', '\d+', true\)/, "set_config('virtual.lock', '', true)"),
      ...(statement.name && text.includes("set_config('lock_timeout'")
        ? { name: `${statement.name}-virtual` }
        : {}),
    }
  }

  /** Statements that were asked together reach PostgreSQL together. */
  async #reach(what: string): Promise<void> {
    const { world, post } = this.#wires
    const packet = this.#waiting.splice(0)
    this.#isAsking = false
    const fate = world.isStormy && !this.#isLost ? world.tape.choose([lost.none, lost.before, lost.after]) : 0
    if (this.#isLost || fate === 1) {
      world.tell(`${this.actor.name}: its connection is lost before "${what}"`)
      await this.lose()
      this.#fail(packet)
      return
    }
    this.#client ??= post.acquire()
    this.#isRunning = true
    const running = await post.run(
      this.#client,
      packet.map(({ asked }) => asked),
    )
    const onDone = async () => {
      this.#isRunning = false
      this.#usedAtMs = world.nowMs
      const came = await running.done
      for (const { asked } of packet) this.#wires.onRun(this.actor, asked)
      world.tell(
        `${this.actor.name} ${what}${packet.length > 1 ? ` and ${packet.length - 1} more` : ''}: ${summary(came)}`,
      )
      await this.#answer(packet, came, fate === 2)
      await this.#wires.unblock()
    }
    if (running.isDone) return onDone()
    world.tell(`${this.actor.name} waits for a lock in "${what}"`)
    this.#wires.block(this, running, onDone)
  }

  async #answer(packet: readonly Pending[], came: Came, isLost: boolean): Promise<void> {
    const { world } = this.#wires
    if (this.actor.isDead || this.#isLost || isLost) {
      if (isLost) world.tell(`${this.actor.name}: the answer is lost with its connection`)
      await this.lose()
      this.#fail(packet)
      return
    }
    const hasFailed = came.some(({ status }) => status === 'rejected')
    if (hasFailed) await this.lose()
    else if (this.#isAlone || packet.at(-1)?.asked.text === 'commit') this.#end()
    world.add({
      actor: this.actor,
      what: 'hears from the database',
      run: () => {
        packet.forEach(({ resolve, reject }, index) => {
          const one = came[index]
          if (!one || (this.#isLost && !hasFailed)) reject(connectionLost())
          else if (one.status === 'fulfilled') resolve(one.value)
          else reject(this.hasTimedOut ? lockTimeout() : one.reason)
        })
      },
    })
  }

  #fail(packet: readonly Pending[]): void {
    this.#wires.world.add({
      actor: this.actor,
      what: 'hears that a connection is lost',
      run: () => {
        for (const { reject } of packet) reject(connectionLost())
      },
    })
  }

  #end(): void {
    if (this.#client) this.#wires.post.release(this.#client)
    this.#client = null
    this.#wires.sessions.delete(this)
  }

  /** The node has given the connection up, so its transaction is rolled back. */
  drop(): void {
    if (this.#client) this.#wires.world.add({ actor: null, what: 'rolls back', run: () => this.lose() })
  }

  async expire(idleMs: number): Promise<void> {
    if (!this.#client || this.#isRunning || this.#wires.world.nowMs - this.#usedAtMs < idleMs) return
    this.#wires.world.tell(`${this.actor.name}: its idle transaction is ended`)
    await this.lose()
  }

  /** Rolls back its transaction. */
  async lose(): Promise<void> {
    this.#isLost = true
    this.#wires.sessions.delete(this)
    // A connection that still waits for a lock is released when the wait is over.
    if (!this.#client || this.#isRunning) return
    const client = this.#client
    this.#client = null
    await this.#wires.post.rollBack(client)
    this.#wires.post.release(client)
  }
}

const summary = (came: Came) =>
  came
    .map((one) => (one.status === 'fulfilled' ? String(one.value.rowCount ?? '') : `failed (${one.reason})`))
    .filter((text) => text !== '')
    .join(', ')

function lockTimeout(): pg.DatabaseError {
  const error = new pg.DatabaseError('canceling statement due to lock timeout', 0, 'error')
  error.code = '55P03'
  return error
}
