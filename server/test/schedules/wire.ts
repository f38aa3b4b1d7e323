/** A node's way to the database, and what happens to all of its connections. */
import type pg from 'pg'
import { asUnavailable, type Database, inOrder } from '../../src/platform/database.ts'
import { makeQueryable, type RunStatement, type Statement } from '../../src/platform/tenant.ts'
import type { Asked, Post, Running } from './post.ts'
import { Session, type Shared } from './session.ts'
import type { Actor, World } from './world.ts'

/** As the pool sets it for every connection. */
const idleTimeoutMs = 8_000

/** Everything of one world that goes to the database. */
export class Wires implements Shared {
  readonly world: World
  readonly post: Post
  readonly sessions = new Set<Session>()
  readonly #blocked = new Set<{
    readonly session: Session
    readonly running: Running
    readonly onDone: () => Promise<void>
  }>()
  /** Hears what was carried out, and for whom. */
  onRun: (actor: Actor, asked: Asked) => void = () => {}

  constructor(world: World, post: Post) {
    this.world = world
    this.post = post
  }

  open(actor: Actor): Database {
    const run: RunStatement = (statement) => this.#alone(actor, statement)
    const inSession = async <Result>(work: (session: Session) => Promise<Result>): Promise<Result> => {
      const session = new Session(this, actor)
      try {
        return await work(session)
      } catch (error) {
        session.drop()
        throw asUnavailable(error)
      }
    }
    return {
      url: '',
      pools: () => [],
      seenHosts: () => [],
      ...makeQueryable(run),
      transaction: (work) =>
        inSession(async (session) => {
          await session.ask({ text: 'begin' })
          const result = await work(makeQueryable(session.run))
          await session.ask({ text: 'commit' })
          return result
        }),
      inTwoTrips: ({ wait, read, write }) =>
        inSession(async (session) => {
          const queryable = makeQueryable(session.run)
          const begun = session.ask({ text: 'begin' })
          if (wait) await inOrder([begun, wait(queryable)])
          const [, state] = await inOrder([begun, read(queryable)])
          const written = write(queryable, state)
          const committed = session.ask({ text: 'commit' })
          await inOrder([...written.statements, committed])
          return written.result
        }),
      close: async () => {},
    }
  }

  // biome-ignore lint/suspicious/noExplicitAny: the driver types rows as whoever asks says
  async #alone(actor: Actor, statement: Statement): Promise<pg.QueryResult<any>> {
    try {
      return await new Session(this, actor, true).ask(statement)
    } catch (error) {
      throw asUnavailable(error)
    }
  }

  /** Time has passed: who kept a transaction idle for too long has lost it, and nobody waits for a lock for ever. */
  async passTime(): Promise<void> {
    this.post.setTime(this.world.nowMs)
    for (const session of this.sessions) await session.expire(idleTimeoutMs)
    for (const { running, session } of this.#blocked)
      if (this.world.nowMs - running.sinceMs >= session.lockTimeoutMs) {
        session.hasTimedOut = true
        await this.post.cancel(running)
        await running.done
      }
    await this.unblock()
  }

  block(session: Session, running: Running, onDone: () => Promise<void>): void {
    this.#blocked.add({ session, running, onDone })
  }

  /** Whoever waited for a lock may go on now. */
  async unblock(): Promise<void> {
    for (const blocked of [...this.#blocked]) {
      await this.post.settle(blocked.running)
      if (!blocked.running.isDone) continue
      this.#blocked.delete(blocked)
      await blocked.onDone()
    }
  }

  /** A node has died: PostgreSQL rolls back what it had begun, once it has come to what was still on its way. */
  async hangUp(actor: Actor, onTheirWay: ReadonlySet<object>): Promise<void> {
    for (const session of [...this.sessions])
      if (session.actor === actor && !onTheirWay.has(session)) await session.lose()
    await this.unblock()
  }

  /** PostgreSQL is started anew: nothing is left of any connection. */
  async restart(): Promise<void> {
    this.world.tell('PostgreSQL is started anew')
    this.post.setStarted(this.world.nowMs)
    for (const session of [...this.sessions]) await session.lose()
    for (const { running } of this.#blocked) {
      await this.post.cancel(running)
      await running.done
    }
    await this.unblock()
  }
}
