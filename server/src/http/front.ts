/**
 * Runs before Fastify, whose handling of a call costs several times as much as a refusal: a call that the gate has no
 * room for gets a prepared answer. Its body is not read; Node drops it.
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Operation } from '@countersign/contract'
import type { FastifyInstance } from 'fastify'
import findMyWay from 'find-my-way'
import type { NoteCallError } from '../domain/insight/index.ts'
import type { Principal } from '../domain/tenancy/index.ts'
import type { Metrics } from '../platform/metrics.ts'
import { tooManyCalls, tooManyCallsSeconds } from '../platform/too-many-calls.ts'
import type { Tracer } from '../platform/trace.ts'
import { refuseOutright } from './bare-refusal.ts'
import { originHeaders } from './cors.ts'
import { errorBodyOf } from './errors.ts'
import type { Gate, RecallPrincipal } from './gate.ts'
import { answerHeaders } from './header.ts'
import { type ErrorRecord, errorRecordOf } from './noted-errors.ts'
import { bearerOf } from './principal.ts'
import { requestIdOf } from './request-id.ts'
import { traceCall } from './trace-call.ts'

/** A call that the gate may refuse, and the parts of its answer. */
export interface Gated {
  readonly method: Operation['method']
  /** The path in the router's syntax. */
  readonly url: string
  readonly keyOf: (authorization: string) => string | undefined
  readonly errorRecord: ErrorRecord
  readonly bodyWith: (requestId: string) => string
  /** Names and values, alternating. */
  readonly headers: readonly string[]
}

/** For an operation of this API, at its path in the router's syntax. */
export function gatedOf(operation: Operation, url: string): Gated {
  const error = tooManyCalls()
  // The request id is the last field of the body, and is added for each answer.
  const start = JSON.stringify(errorBodyOf(error, '')).slice(0, -2)
  return {
    method: operation.method,
    url,
    keyOf: bearerOf,
    errorRecord: errorRecordOf(operation, error),
    bodyWith: (requestId) => `${start}${requestId}"}`,
    headers: operation.access === 'key' ? Object.entries(originHeaders).flat() : [],
  }
}

export interface FrontDependencies {
  readonly gate: Gate
  readonly recall: RecallPrincipal
  /** While the node is stopping, answers ask for another connection, which only Fastify's handling does. */
  readonly isClosing: () => boolean
  readonly metrics: Metrics
  readonly noteKeyError: (principal: Principal) => void
  readonly noteError?: NoteCallError | undefined
  readonly tracer: Tracer | null
}

/** Only HTTP/1.1 requires a `host` header. */
const hasNoHost = ({ headers, httpVersion }: IncomingMessage) =>
  headers.host === undefined && httpVersion === '1.1'

/** The router would leave it out, where a proxy in front took it for a part of the path, and did not refuse it. */
const hasFragment = ({ url = '' }: IncomingMessage) => url.includes('#')

export class Front {
  readonly #dependencies: FrontDependencies
  readonly #router = findMyWay({ maxParamLength: 65_536 })

  constructor(dependencies: FrontDependencies) {
    this.#dependencies = dependencies
  }

  add(gated: Gated): void {
    this.#router.on(gated.method, gated.url, () => {}, gated)
  }

  /** Call this before any other part listens for requests. */
  standBefore(server: FastifyInstance): void {
    server.server.removeAllListeners('request')
    server.server.on('request', (request, response) => {
      if (hasNoHost(request)) refuseOutright(request, response, 400, 'The request names no host.')
      else if (hasFragment(request)) refuseOutright(request, response, 400, 'The path has a "#" in it.')
      else if (!this.#refuses(request, response)) server.routing(request, response)
    })
  }

  #refuses(request: IncomingMessage, response: ServerResponse): boolean {
    const { gate, recall, isClosing } = this.#dependencies
    if (gate.hasRoomForAll() || isClosing()) return false
    const { method, url = '' } = request
    const { authorization } = request.headers
    if (authorization === undefined || (method !== 'GET' && method !== 'POST')) return false
    const gated: Gated | undefined = this.#router.find(method, url)?.store
    if (!gated) return false
    const principal = recall(gated.keyOf(authorization) ?? '')
    if (gate.hasRoom(principal?.app.companyId)) return false
    const requestId = requestIdOf(request)
    answer(response, gated, requestId)
    this.#note(gated, request, requestId, principal)
    return true
  }

  /** Records the same as for every other call that ends in an error. */
  #note(gated: Gated, request: IncomingMessage, requestId: string, principal: Principal | undefined): void {
    const { metrics, noteKeyError, noteError, tracer } = this.#dependencies
    const { method, url: route, errorRecord } = gated
    const { status } = errorRecord
    metrics.observeRequest(method, route, status, 0)
    if (!principal) return
    noteKeyError(principal)
    const { keyId, app } = principal
    const { companyId, appId } = app
    noteError?.({ companyId, appId, keyId, ...errorRecord, requestId })
    if (!tracer) return
    const { traceparent } = request.headers
    traceCall(tracer, { method, route, status, durationMs: 0, requestId, traceparent, principal })
  }
}

const everyAnswer = Object.entries(answerHeaders).flat()

function answer(response: ServerResponse, gated: Gated, requestId: string): void {
  const { errorRecord, bodyWith, headers } = gated
  const body = bodyWith(requestId)
  response.writeHead(errorRecord.status, [
    'x-request-id',
    requestId,
    ...everyAnswer,
    ...headers,
    'retry-after',
    String(tooManyCallsSeconds),
    'content-type',
    'application/json; charset=utf-8',
    'content-length',
    String(Buffer.byteLength(body)),
  ])
  response.end(body)
}
