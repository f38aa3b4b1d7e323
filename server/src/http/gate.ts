/**
 * Lets in as many calls with a key as can be answered in time. Further calls are refused before the key is looked up
 * and the body is read: a refusal has to cost far less than the call, or it does not help.
 */
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Principal } from '../domain/tenancy/index.ts'
import { Pace } from '../platform/pace.ts'
import { Tally } from '../platform/tally.ts'
import { tooManyCalls } from '../platform/too-many-calls.ts'
import type { KnownCalls } from './noted-errors.ts'
import { type Authenticate, bearerOf } from './principal.ts'

/** A person waits for the answer: after this time it is hardly of use, and a quick refusal is better. */
const maxWaitMs = 1_000
/** This many calls are let in however slow they are: one busy backend may have as many, which is no overload. */
const alwaysRoom = 1_250
/** This many calls are let in while a crowd is young: a burst of calls that soon ends is no overload either. */
const burstRoom = 2_500
const burstMs = 5_000
/** The share of the room that one company may use, so that its flood leaves room for others. */
const shareOfOne = 0.8
/** Fewer calls than this are no crowd, and a crowd is over after `crowdGoneMs` with fewer. */
const crowdSize = 200
const crowdGoneMs = 1_000
/** Callers whose key is not known yet share one part of the room, under this name. */
const strangers = ''

export class Gate {
  readonly #pace: Pace
  readonly #inside = new Tally()
  readonly #nowMs: () => number
  #size = 0
  #crowdSinceMs = 0
  #crowdSeenMs = Number.NEGATIVE_INFINITY

  constructor(nowMs: () => number = () => performance.now()) {
    this.#nowMs = nowMs
    this.#pace = new Pace(maxWaitMs)
  }

  /** Whether there is so much room that it does not matter who calls. */
  hasRoomForAll(): boolean {
    return this.#size < alwaysRoom * shareOfOne
  }

  /** Whether there is room for one more call of a company or, without an argument, of a caller with an unknown key. */
  hasRoom(companyId: string = strangers): boolean {
    const nowMs = this.#nowMs()
    // Checked for refused calls too, since nobody may have got in for a while.
    this.#look(nowMs)
    const room = Math.max(this.#isCrowdOld(nowMs) ? alwaysRoom : burstRoom, this.#pace.mostInside(nowMs))
    return this.#size < room && this.#inside.of(companyId) < room * shareOfOne
  }

  /** Returns a function to call when the call is over. */
  enter(companyId: string): () => void {
    const enteredMs = this.#nowMs()
    this.#pace.enter(enteredMs)
    const leave = this.hold(companyId)
    return () => {
      const nowMs = this.#nowMs()
      this.#pace.leave(nowMs, nowMs - enteredMs)
      leave()
    }
  }

  /** Takes a slot without counting for the pace. Returns a function that gives it back. */
  hold(companyId: string = strangers): () => void {
    this.#size++
    this.#look(this.#nowMs())
    this.#inside.add(companyId, 1)
    return () => {
      this.#size--
      this.#inside.add(companyId, -1)
    }
  }

  #look(nowMs: number): void {
    if (this.#size <= crowdSize) return
    if (nowMs - this.#crowdSeenMs > crowdGoneMs) this.#crowdSinceMs = nowMs
    this.#crowdSeenMs = nowMs
  }

  #isCrowdOld(nowMs: number): boolean {
    return nowMs - this.#crowdSeenMs <= crowdGoneMs && nowMs - this.#crowdSinceMs > burstMs
  }
}

/** The owner of a key, if this node remembers it. */
export type RecallPrincipal = (keyText: string) => Principal | undefined

/**
 * Authenticates behind the gate, because that may need the database, which is busy in an overload. The owner of the key
 * is remembered from earlier calls: good enough to share out room, but never to permit anything.
 */
export function askBehindGate(authenticate: Authenticate, gate: Gate, recall: RecallPrincipal): Authenticate {
  return async (access, credentials) => {
    const { authorization, onKnown, before } = credentials
    // A call that is identified again has been let in.
    if ((access !== 'key' && access !== 'server_key') || authorization === undefined || before) {
      return authenticate(access, credentials)
    }
    const owner = gate.hasRoomForAll() ? undefined : recall(bearerOf(authorization) ?? '')
    if (!gate.hasRoom(owner?.app.companyId)) {
      if (owner) onKnown?.(owner)
      throw tooManyCalls()
    }
    const leave = gate.hold(owner?.app.companyId)
    try {
      return await authenticate(access, credentials)
    } finally {
      leave()
    }
  }
}

/** A call is inside from when its body is complete until its answer is ready, so that a slow caller takes no room. */
export function countInside(server: FastifyInstance, knownCalls: KnownCalls, gate: Gate): void {
  const leaving = new WeakMap<FastifyRequest, () => void>()
  server.addHook('preHandler', (request, _reply, done) => {
    const call = knownCalls.get(request)
    if (call) leaving.set(request, gate.enter(call.principal.app.companyId))
    done()
  })
  // Even if the caller has disconnected meanwhile: the work was done all the same.
  server.addHook('onSend', (request, _reply, payload, done) => {
    leaving.get(request)?.()
    leaving.delete(request)
    done(null, payload)
  })
}
