/** Registers the routes of the table with Fastify: identifies the caller, collects the input, and answers. */
import type { Operation } from '@countersign/contract'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { SessionCookies } from '../domain/members/index.ts'
import type { Principal } from '../domain/tenancy/index.ts'
import type { Tracer } from '../platform/trace.ts'
import { assertDeclared } from './authorise.ts'
import { createAddressOf } from './caller-address.ts'
import { allowOrigins, answerPreflight } from './cors.ts'
import { asksForCsv, Exports } from './csv.ts'
import { type Front, gatedOf } from './front.ts'
import { watchForGone } from './gone.ts'
import { idempotencyKeyIn, joinedHeader } from './header.ts'
import { type ManagementDependencies, manage, pagesFor } from './management-call.ts'
import { errorRecordOf, type KnownCall, type KnownCalls } from './noted-errors.ts'
import { refuseUnroutedMethods } from './other-methods.ts'
import { parseJson } from './parse-json.ts'
import { createPersonTurns, type TakePersonTurn } from './person-turns.ts'
import { type Actor, type AnyCaller, type Authenticate, bodyMs, isActor } from './principal.ts'
import { type CountLookup, createLookups } from './recipient-lookups.ts'
import type { PlainIncoming, Route } from './route.ts'
import type { SessionCookie } from './session-cookie.ts'

export interface RegisterOptions extends ManagementDependencies {
  readonly authenticate: Authenticate
  readonly cookie: SessionCookie
  readonly trustedProxies: readonly string[]
  /** Calls whose key is known. The routes add theirs here; other parts that add routes may do so too. */
  readonly knownCalls: KnownCalls
  /** Refuses calls that the gate has no room for; every operation that needs a key is added to it. */
  readonly front: Front
  readonly tracer: Tracer | null
}

/** What all routes share. */
interface Shared extends RegisterOptions {
  readonly addressOf: (request: FastifyRequest) => string
  readonly exports: Exports
  readonly takeTurn: TakePersonTurn
  readonly countLookup: CountLookup
}

export function registerRoutes(
  server: FastifyInstance,
  routes: readonly Route[],
  options: RegisterOptions,
): void {
  const shared: Shared = {
    ...options,
    addressOf: createAddressOf(options.trustedProxies),
    exports: new Exports(),
    takeTurn: createPersonTurns(),
    countLookup: createLookups(),
  }
  for (const route of routes) register(server, route, shared)
  refuseUnroutedMethods(
    server,
    routes.map(({ operation }) => ({ method: operation.method, url: fastifyPath(operation.path) })),
  )
}

const fastifyPath = (path: string) => path.replaceAll(/\{(\w+)\}/g, ':$1')

function register(server: FastifyInstance, route: Route, shared: Shared): void {
  const { operation } = route
  const { cookie, knownCalls, front, tracer } = shared
  const isForDevices = operation.access === 'key'
  const isManagement = operation.path.startsWith('/manage/')
  // A call with a key need not declare JSON. Where a cookie may count, the content type keeps out forms of other pages.
  const takesAnyType = operation.access === 'key' || operation.access === 'server_key'
  const url = fastifyPath(operation.path)
  if (takesAnyType) front.add(gatedOf(operation, url))
  const callers = new WeakMap<FastifyRequest, { readonly caller: AnyCaller; readonly atMs: number }>()
  server.route({
    method: operation.method,
    url,
    // The caller is authenticated before a byte of the body is read.
    onRequest: async (request, reply) => {
      if (isForDevices) allowOrigins(reply)
      if (takesAnyType) request.raw.headers['content-type'] = 'application/json'
      if (isWrite(operation) && operation.access === 'public') cookie.assertOwnPage(request, false)
      const caller = await identify(shared, operation, request, reply)
      callers.set(request, { caller, atMs: performance.now() })
    },
    handler: async (request, reply) => {
      const { caller: known, atMs } = callers.get(request) ?? { caller: null, atMs: 0 }
      const identifyAgain = () => identify(shared, operation, request, reply, known ?? undefined)
      const isLate = known !== null && performance.now() - atMs > bodyMs
      const caller = isLate ? await identifyAgain() : known
      const incoming = incomingOf(shared, operation, request, reply)
      if (!isActor(caller)) {
        if (isManagement) assertDeclared(operation, request.query)
        const answer = await route.handle(route.parse(incoming), caller)
        if (tracer) noteVerification(knownCalls.get(request), answer)
        return reply.code(operation.status ?? 200).send(answer)
      }
      const call = { route, actor: caller, incoming }
      if (operation.isLong) watchForGone(request.raw, reply.raw)
      if (operation.csv && asksForCsv(request.headers.accept)) {
        const { who, read } = await pagesFor(shared, call, identifyAgain)
        const file = await shared.exports.start(operation.csv, who, read)
        return reply
          .type('text/csv; charset=utf-8')
          .header('content-disposition', `attachment; filename="${operation.csv.rows}.csv"`)
          .send(file)
      }
      const answer = await shared.takeTurn(caller, operation, () => manage(shared, call, identifyAgain))
      return reply.code(operation.status ?? 200).send(answer)
    },
  })
  if (isForDevices && !server.hasRoute({ method: 'OPTIONS', url })) server.options(url, answerPreflight)
}

const isWrite = ({ method }: Operation) => method !== 'GET'

async function identify(
  { authenticate, cookie, knownCalls }: Shared,
  operation: Operation,
  request: FastifyRequest,
  reply: FastifyReply,
  before?: Principal | Actor,
): Promise<AnyCaller> {
  const caller = await authenticate(operation.access, {
    authorization: request.headers.authorization,
    ...(before && { before }),
    sessionToken: () => {
      const token = cookie.read(request)
      // Checked before the session is looked up, because that may replace its token, and the browser of a refused page
      // would not get the new one.
      if (isWrite(operation) && token !== null) cookie.assertOwnPage(request, true)
      return token
    },
    onKnown: (principal) =>
      knownCalls.set(request, { principal, recordOf: (error) => errorRecordOf(operation, error) }),
  })
  if (isActor(caller) && caller.kind === 'person' && caller.newToken) cookie.renew(reply, caller.newToken)
  return caller
}

/** What came with a call; its subject and the caller's role are found later. */
const incomingOf = (
  { addressOf, cookie }: Shared,
  operation: Operation,
  request: FastifyRequest,
  reply: FastifyReply,
): PlainIncoming => ({
  body: operation.body || request.body ? parseJson(request.body) : undefined,
  query: request.query,
  params: request.params as Readonly<Record<string, string>>,
  header: (name: string) => joinedHeader(request, name),
  idempotencyKey: () => idempotencyKeyIn(request),
  callerAddress: addressOf(request),
  requestId: request.id,
  // Of calls in a row on one connection, only the response of the first is destroyed with it.
  isGone: () => reply.raw.destroyed || request.raw.socket.destroyed,
  scope: null,
  role: null,
  knownToken: () => cookie.readKnown(request),
  setSession: (cookies: SessionCookies | null) => cookie.set(reply, cookies),
})

/** Remembers for the trace which verification the call was about. */
function noteVerification(call: KnownCall | undefined, answer: unknown): void {
  if (!call || typeof answer !== 'object' || answer === null || !('otp_id' in answer)) return
  if (typeof answer.otp_id === 'string') call.otpId = answer.otp_id
}
