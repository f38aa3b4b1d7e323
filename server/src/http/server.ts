/** The HTTP server: routes from the table, who calls, one error body, one request id. */
import { isUtf8 } from 'node:buffer'
import { AppError } from '@countersign/contract'
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify'
import type { NoteCallError } from '../domain/insight/index.ts'
import type { SessionCookies } from '../domain/members/index.ts'
import type { Principal } from '../domain/tenancy/index.ts'
import type { Log } from '../platform/log.ts'
import { memo } from '../platform/memo.ts'
import type { Metrics } from '../platform/metrics.ts'
import type { Tracer } from '../platform/trace.ts'
import { callerAddress, parseCidr } from '../platform/trusted-proxies.ts'
import { type Audited, isChange } from './audit.ts'
import { assertDeclared, authorise } from './authorise.ts'
import { refuseExpectations, refuseTunnels } from './bare-refusal.ts'
import { allowOrigins, answerPreflight } from './cors.ts'
import { asksForCsv, csvPageRows, Exports, type ReadListPage } from './csv.ts'
import { createErrorHandler, refusalOf, sendError } from './errors.ts'
import { type Front, gatedOf } from './front.ts'
import { countInside, type Gate } from './gate.ts'
import { joinedHeader, singleHeader } from './header.ts'
import { keepWhileInWork } from './idle.ts'
import type { createLocate, Locate } from './locate.ts'
import { callErrorOf, type KnownCall, type KnownCalls, toldOf } from './noted-errors.ts'
import { refuseUnroutedMethods, routedMethod } from './other-methods.ts'
import { createPersonTurns, type TakePersonTurn } from './person-turns.ts'
import type { Actor, Authenticate } from './principal.ts'
import { assertProven } from './proven.ts'
import { requestIdOf } from './request-id.ts'
import { parseJson, type Route, scopeOf } from './route.ts'
import type { SessionCookie } from './session-cookie.ts'
import { stopPromptly } from './stop.ts'
import { traceCall } from './trace-call.ts'
import { createRefuseUnreadable } from './unreadable.ts'

export interface ServerOptions {
  readonly routes: readonly Route[]
  readonly authenticate: Authenticate
  readonly locate: ReturnType<typeof createLocate>
  readonly audited: Audited
  readonly cookie: SessionCookie
  readonly trustedProxies: readonly string[]
  /** Tells whether this node is about to stop. */
  readonly isClosing: () => boolean
  /** Errors that callers with a key get are noted here; absent where nobody calls. */
  readonly noteError?: NoteCallError | undefined
  /** Calls whose key is known: those of the routes are put into it, and whoever adds routes may add to it. */
  readonly knownCalls: KnownCalls
  /** `authenticate` asks it first. */
  readonly gate: Gate
  /** Refuses in the gate's name; every call that needs a key is made known to it. */
  readonly front: Front
  readonly log: Log
  readonly metrics: Metrics
  readonly tracer: Tracer | null
  /** A call with a key was refused. */
  readonly noteKeyError: (principal: Principal) => void
}

const maxBodyBytes = 65_536
const requestTimeoutMs = 30_000
const addressesRemembered = 200

export function createServer(options: ServerOptions): FastifyInstance {
  const { routes, trustedProxies, log, knownCalls } = options
  const server = Fastify({
    logger: false,
    bodyLimit: maxBodyBytes,
    requestTimeout: requestTimeoutMs,
    connectionTimeout: requestTimeoutMs,
    exposeHeadRoutes: false,
    http: {
      // Refused by ourselves, with a body.
      requireHostHeader: false,
      // Of the two limits Node takes the longer for the whole request, whichever was named for it.
      headersTimeout: requestTimeoutMs,
      // Node looks every thirty seconds, and a request that has just begun then would have nearly twice its time.
      connectionsCheckingInterval: requestTimeoutMs / 30,
    },
    // What has come over an open connection is answered, also while the last calls are.
    return503OnClosing: false,
    // Longer than any request line, so that the router refuses no id: an id is judged after the key.
    routerOptions: { maxParamLength: 65_536 },
    genReqId: requestIdOf,
    rewriteUrl: (raw) => {
      raw.method = routedMethod(raw.method)
      return raw.url ?? '/'
    },
    clientErrorHandler: (error, socket) => refuseUnreadable(error, socket),
    frameworkErrors: (error, request, reply) => {
      void sendError(
        request,
        reply.header('x-request-id', request.id),
        refusalOf(error) ?? new AppError('PathNotFound', 'There is nothing at this path.'),
      )
    },
  })
  options.front.standBefore(server)
  stopPromptly(server, options.isClosing)
  const refuseUnreadable = createRefuseUnreadable(server)
  keepWhileInWork(server)
  refuseTunnels(server)
  refuseExpectations(server)
  server.removeAllContentTypeParsers()
  server.addContentTypeParser('application/json', { parseAs: 'buffer' }, (_request, body, done) =>
    // What is no text is refused where JSON is read: after the key was looked at.
    done(null, typeof body !== 'string' && isUtf8(body) ? body.toString() : body),
  )
  server.setErrorHandler(
    createErrorHandler(log, (request, error) => {
      const call = knownCalls.get(request)
      if (!call) return
      options.noteKeyError(call.principal)
      options.noteError?.(callErrorOf(call, error, request.id))
    }),
  )
  server.setNotFoundHandler((request, reply) =>
    sendError(request, reply, new AppError('PathNotFound', 'There is nothing at this path.')),
  )
  // What every call goes through says that it is done: a promise for each would cost as much as all that it does.
  server.addHook('onRequest', (request, reply, done) => {
    reply
      .header('x-request-id', request.id)
      .header('x-content-type-options', 'nosniff')
      .header('cache-control', 'no-store')
    done()
  })
  countInside(server, knownCalls, options.gate)
  observeCalls(server, options)

  const proxies = trustedProxies.map(parseCidr).filter((cidr) => cidr !== null)
  // Backends call again and again from the same address.
  const addressOf = memo(
    addressesRemembered,
    ({ ip, forwarded }: Caller) => `${ip} ${forwarded}`,
    ({ ip, forwarded }) => callerAddress(ip, forwarded, proxies),
  )
  const surroundings = { addressOf, exports: new Exports(), takeTurn: createPersonTurns() }
  for (const route of routes) register(server, route, options, surroundings)
  refuseUnroutedMethods(
    server,
    routes.map(({ operation }) => ({ method: operation.method, url: fastifyPath(operation.path) })),
  )
  return server
}

function observeCalls(server: FastifyInstance, { metrics, tracer, knownCalls }: ServerOptions): void {
  server.addHook('onResponse', (request, reply, done) => {
    const { method, headers, id: requestId, routeOptions } = request
    const { statusCode: status, elapsedTime: durationMs } = reply
    const route = routeOptions.url ?? 'unknown'
    metrics.observeRequest(method, route, status, durationMs / 1000)
    const call = tracer && knownCalls.get(request)
    if (call) {
      const { traceparent } = headers
      traceCall(tracer, { ...call, method, route, status, durationMs, requestId, traceparent })
    }
    done()
  })
}

/** Where a connection comes from, and what it says of those behind it. */
interface Caller {
  readonly ip: string
  readonly forwarded: string | undefined
}

const fastifyPath = (path: string) => path.replaceAll(/\{(\w+)\}/g, ':$1')

interface Surroundings {
  readonly addressOf: (caller: Caller) => string
  readonly exports: Exports
  readonly takeTurn: TakePersonTurn
}

function register(
  server: FastifyInstance,
  route: Route,
  { authenticate, locate, audited, cookie, tracer, knownCalls, front }: ServerOptions,
  { addressOf, exports, takeTurn }: Surroundings,
): void {
  const { operation } = route
  const isForDevices = operation.access === 'key'
  const isManagement = operation.path.startsWith('/manage/')
  const isWrite = operation.method !== 'GET'
  // Whoever calls with a key need not say that it is JSON; where a cookie may count, other pages' forms stay out.
  const takesAnyType = operation.access === 'key' || operation.access === 'server_key'
  const url = fastifyPath(operation.path)
  if (takesAnyType) front.add(gatedOf(operation, url))
  const callers = new WeakMap<FastifyRequest, Awaited<ReturnType<Authenticate>>>()
  server.route({
    method: operation.method,
    url,
    // Who calls is settled before a byte of the body is read.
    onRequest: async (request, reply) => {
      if (isForDevices) allowOrigins(reply)
      if (takesAnyType) request.raw.headers['content-type'] = 'application/json'
      if (isWrite && operation.access === 'public') cookie.assertOwnPage(request, false)
      callers.set(request, await identify(request, reply))
    },
    handler: async (request, reply) => {
      if (isManagement) assertDeclared(operation, request.query)
      const forwarded = request.headers['x-forwarded-for']
      const caller = callers.get(request) ?? null
      const incoming = {
        body: operation.body || request.body ? parseJson(request.body) : undefined,
        query: request.query,
        params: request.params as Readonly<Record<string, string>>,
        header: (name: string) => joinedHeader(request, name),
        singleHeader: (name: string) => singleHeader(request, name),
        callerAddress: addressOf({
          ip: request.ip,
          forwarded: Array.isArray(forwarded) ? forwarded.join(',') : forwarded,
        }),
        requestId: request.id,
        scope: null,
        role: null,
        knownToken: () => cookie.readKnown(request),
        setSession: (cookies: SessionCookies | null) => cookie.set(reply, cookies),
      }
      if (operation.csv && isActor(caller) && asksForCsv(request.headers.accept)) {
        const { who, read } = await pagesFor(caller, incoming)
        const file = await exports.start(operation.csv, who, read)
        return reply
          .type('text/csv; charset=utf-8')
          .header('content-disposition', `attachment; filename="${operation.csv.rows}.csv"`)
          .send(file)
      }
      const answer = isActor(caller)
        ? await takeTurn(caller, operation, () => manage(caller, incoming, () => identify(request, reply)))
        : await route.handle(route.parse(incoming), caller)
      if (tracer) noteVerification(knownCalls.get(request), answer)
      return reply.code(operation.status ?? 200).send(answer)
    },
  })
  if (isForDevices && !server.hasRoute({ method: 'OPTIONS', url })) server.options(url, answerPreflight)

  async function identify(request: FastifyRequest, reply: FastifyReply) {
    const caller = await authenticate(operation.access, {
      authorization: request.headers.authorization,
      sessionToken: () => {
        const token = cookie.read(request)
        // Before the session is looked up, which may replace its token: a refused page's browser would not get the new one.
        if (isWrite && token !== null) cookie.assertOwnPage(request, true)
        return token
      },
      onKnown: (principal) =>
        knownCalls.set(request, { principal, tell: (error) => toldOf(operation, error) }),
    })
    if (isActor(caller) && caller.kind === 'person' && caller.newToken) cookie.renew(reply, caller.newToken)
    return caller
  }

  /** What the call is about, and the caller's role there; whoever may not do it is refused. */
  async function allow(actor: Actor, locateCall: Locate) {
    const { subject, membership } = await authorise(operation, actor, locateCall)
    assertProven(operation, actor, membership)
    return { subject, scope: scopeOf(subject), role: membership?.role ?? null }
  }

  /** As each page would be answered; who may read one may read them all. */
  async function pagesFor(actor: Actor, incoming: Parameters<Route['parse']>[0]) {
    const { scope, role } = await allow(actor, locate(operation, actor, incoming))
    const parsed = { ...route.parse(incoming), scope, role }
    const query = Object(parsed.query)
    const read: ReadListPage = (cursor) =>
      route.handle(
        { ...parsed, query: { ...query, limit: csvPageRows, cursor: cursor ?? query.cursor } },
        actor,
      )
    return { who: scope?.companyId ?? (actor.kind === 'person' ? actor.person.personId : actor.kind), read }
  }

  async function manage(
    actor: Actor,
    incoming: Parameters<Route['parse']>[0],
    identifyAgain: () => ReturnType<Authenticate>,
  ) {
    const locateCall = locate(operation, actor, incoming)
    return audited({ ...incoming, operation, actor, locate: locateCall }, async (begin) => {
      const allowed = await allow(actor, locateCall)
      const parsed = route.parse(incoming)
      return begin(allowed.subject, parsed.body, async () => {
        // The body and the audit trail may have kept a change waiting, and its person may have lost the right to it.
        const now = isChange(operation) && actor.kind === 'person' ? await identifyAgain() : actor
        if (!isActor(now)) throw new Error('who was known is nobody')
        const { scope, role } = now === actor ? allowed : await allow(now, locate(operation, now, incoming))
        return route.handle({ ...parsed, scope, role }, now)
      })
    })
  }
}

/** What the call turned out to be about. */
function noteVerification(call: KnownCall | undefined, answer: unknown): void {
  if (!call || typeof answer !== 'object' || answer === null || !('otp_id' in answer)) return
  if (typeof answer.otp_id === 'string') call.otpId = answer.otp_id
}

const isActor = (caller: Awaited<ReturnType<Authenticate>>): caller is Actor =>
  caller !== null && 'kind' in caller && (caller.kind === 'token' || caller.kind === 'person')
