/**
 * Lets in as many calls with a key as can be answered in time. What comes beyond that is told so as soon as its key is
 * known, before its body is read: a refusal has to cost far less than the call, or refusing does not help.
 */
import { AppError } from '@countersign/contract'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { Pace } from '../platform/pace.ts'
import type { KnownCalls } from './noted-errors.ts'

/** Whoever calls has a person before them: later than this an answer is hardly of use, and a refusal at once is. */
const maxWaitMs = 2_000
/** So many are let in however slow it is: a burst of one company on a busy machine is no overload. */
const alwaysRoom = 4_000

export class Gate {
  readonly #pace: Pace
  readonly #inside = new Map<string, number>()
  readonly #nowMs: () => number
  #size = 0

  constructor(nowMs: () => number = () => performance.now()) {
    this.#nowMs = nowMs
    this.#pace = new Pace(maxWaitMs)
  }

  /** Of one company as many as there is still room for, so that its flood leaves room for others. */
  hasRoom(companyId: string): boolean {
    const room = Math.max(alwaysRoom, this.#pace.mostInside)
    return (this.#inside.get(companyId) ?? 0) < room - this.#size
  }

  /** Returns what is to be called when the call is over. */
  enter(companyId: string): () => void {
    const enteredMs = this.#nowMs()
    this.#pace.enter(enteredMs)
    this.#size++
    this.#inside.set(companyId, (this.#inside.get(companyId) ?? 0) + 1)
    return () => {
      const nowMs = this.#nowMs()
      this.#pace.leave(nowMs, nowMs - enteredMs)
      this.#size--
      const left = (this.#inside.get(companyId) ?? 1) - 1
      if (left === 0) this.#inside.delete(companyId)
      else this.#inside.set(companyId, left)
    }
  }
}

export function putGateBefore(server: FastifyInstance, knownCalls: KnownCalls, gate = new Gate()): void {
  const leaving = new WeakMap<FastifyRequest, () => void>()
  const companyOf = (request: FastifyRequest) => knownCalls.get(request)?.principal.app.companyId
  server.addHook('preParsing', async (request) => {
    const companyId = companyOf(request)
    if (companyId !== undefined && !gate.hasRoom(companyId)) throw tooMany()
  })
  server.addHook('preHandler', async (request) => {
    const companyId = companyOf(request)
    if (companyId !== undefined) leaving.set(request, gate.enter(companyId))
  })
  // Also where the caller has gone meanwhile: the work was done all the same.
  server.addHook('onSend', async (request) => {
    leaving.get(request)?.()
    leaving.delete(request)
  })
}

const tooMany = () =>
  new AppError('UnavailableError', 'Too many calls are waiting. Try again shortly.', { retry_after: 1 })
