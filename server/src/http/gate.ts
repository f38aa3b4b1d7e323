/**
 * Lets in as many calls with a key as can be answered in time. What comes beyond that is told so before its key is
 * looked up and its body is read: a refusal has to cost far less than the call, or refusing does not help.
 */
import { AppError } from '@countersign/contract'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Principal } from '../domain/tenancy/index.ts'
import { Pace } from '../platform/pace.ts'
import type { KnownCalls } from './noted-errors.ts'
import { type Authenticate, bearerOf } from './principal.ts'

/** Whoever calls has a person before them: later than this an answer is hardly of use, and a refusal at once is. */
const maxWaitMs = 1_000
/** So many are let in however slow it is: as many as one busy backend has under way is no overload. */
const alwaysRoom = 1_250
/** So many while a crowd is young: who comes all at once and then no more is no overload either. */
const burstRoom = 2_500
const burstMs = 5_000
/** Of the room, for one company: its flood leaves room for others. */
const shareOfOne = 0.8
/** Fewer are no crowd, and one that has been gone for so long is over. */
const crowdSize = 200
const crowdGoneMs = 1_000
/** Those whose key is not known yet share one part. */
const strangers = ''

export class Gate {
  readonly #pace: Pace
  readonly #inside = new Map<string, number>()
  readonly #nowMs: () => number
  #size = 0
  #crowdSinceMs = 0
  #crowdSeenMs = Number.NEGATIVE_INFINITY

  constructor(nowMs: () => number = () => performance.now()) {
    this.#nowMs = nowMs
    this.#pace = new Pace(maxWaitMs)
  }

  /** Whether there is room for everybody, so that nobody need be asked who they are. */
  hasRoomForAll(): boolean {
    return this.#size < alwaysRoom * shareOfOne
  }

  /** For one more of a company; without one, of those whose key is not known. */
  hasRoom(companyId: string = strangers): boolean {
    const nowMs = this.#nowMs()
    // Also who is turned away sees it: nobody may have got in for a while.
    this.#look(nowMs)
    const room = Math.max(this.#isCrowdOld(nowMs) ? alwaysRoom : burstRoom, this.#pace.mostInside(nowMs))
    return this.#size < room && (this.#inside.get(companyId) ?? 0) < room * shareOfOne
  }

  /** Returns what is to be called when the call is over. */
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

  /** Takes a place without saying anything about how quick calls are. Returns what gives it back. */
  hold(companyId: string = strangers): () => void {
    this.#size++
    this.#look(this.#nowMs())
    this.#inside.set(companyId, (this.#inside.get(companyId) ?? 0) + 1)
    return () => {
      this.#size--
      const left = (this.#inside.get(companyId) ?? 1) - 1
      if (left === 0) this.#inside.delete(companyId)
      else this.#inside.set(companyId, left)
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

/** Whose key this is, as far as this node remembers. */
export type RecallPrincipal = (keyText: string) => Principal | undefined

/**
 * Who calls is asked behind the gate, for that may need the database, which is busy just then. Whose call it is, is
 * known from calls before: good enough to share places out by, and never to let anybody do anything.
 */
export function askBehindGate(authenticate: Authenticate, gate: Gate, recall: RecallPrincipal): Authenticate {
  return async (access, credentials) => {
    const { authorization, onKnown } = credentials
    if ((access !== 'key' && access !== 'server_key') || authorization === undefined) {
      return authenticate(access, credentials)
    }
    const owner = gate.hasRoomForAll() ? undefined : recall(bearerOf(authorization) ?? '')
    if (!gate.hasRoom(owner?.app.companyId)) {
      if (owner) onKnown?.(owner)
      throw tooMany()
    }
    const leave = gate.hold(owner?.app.companyId)
    try {
      return await authenticate(access, credentials)
    } finally {
      leave()
    }
  }
}

/** A call is inside from when its body is there until its answer is made: a slow caller takes no place. */
export function countInside(server: FastifyInstance, knownCalls: KnownCalls, gate: Gate): void {
  const leaving = new WeakMap<FastifyRequest, () => void>()
  server.addHook('preHandler', (request, _reply, done) => {
    const call = knownCalls.get(request)
    if (call) leaving.set(request, gate.enter(call.principal.app.companyId))
    done()
  })
  // Also where the caller has gone meanwhile: the work was done all the same.
  server.addHook('onSend', (request, _reply, payload, done) => {
    leaving.get(request)?.()
    leaving.delete(request)
    done(null, payload)
  })
}

export const retryAfterSeconds = 1

export const tooMany = () =>
  new AppError('UnavailableError', 'Too many calls are waiting. Try again shortly.', {
    retry_after: retryAfterSeconds,
  })
