/** The nodes' connections to the database, and what happens to them. */
import type pg from 'pg'
import { asUnavailable, type Database, inOrder } from '../../src/platform/database.ts'
import { makeQueryable, type RunStatement, type Statement } from '../../src/platform/tenant.ts'
import type { Asked, Post, Running } from './post.ts'
import { Session, type Shared } from './session.ts'
import type { Actor, World } from './world.ts'

/** The same as the pool sets for every connection. */
const idleTimeoutMs = 8_000

/** All database connections of one world. */
export class Wires implements Shared {
  readonly world: World
  readonly post: Post
  readonly sessions = new Set<Session>()
  readonly #blocked = new Set<{
    readonly session: Session
    readonly running: Running
    readonly onDone: () => Promise<void>
  }>()
  /** Called after a statement has run, with the actor that sent it. */
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

  // biome-ignore lint/suspicious/noExplicitAny: the caller decides the type of the rows
  async #alone(actor: Actor, statement: Statement): Promise<pg.QueryResult<any>> {
    try {
      return await new Session(this, actor, true).ask(statement)
    } catch (error) {
      throw asUnavailable(error)
    }
  }

  /** Applies timeouts after time has passed: ends transactions that were idle too long, and waits for a lock. */
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

  /** Continues the statements that no longer wait for a lock. */
  async unblock(): Promise<void> {
    for (const blocked of [...this.#blocked]) {
      await this.post.settle(blocked.running)
      if (!blocked.running.isDone) continue
      this.#blocked.delete(blocked)
      await blocked.onDone()
    }
  }

  /** Closes the connections of a dead node. PostgreSQL rolls back once it has run the statements still in transit. */
  async hangUp(actor: Actor, onTheirWay: ReadonlySet<object>): Promise<void> {
    for (const session of [...this.sessions])
      if (session.actor === actor && !onTheirWay.has(session)) await session.lose()
    await this.unblock()
  }

  /** Restarts PostgreSQL: all connections are lost. */
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
