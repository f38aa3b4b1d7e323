/** The HTTP server: routes from the table, who calls, one error body, one request id. */
import { AppError } from '@countersign/contract'
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify'
import { newId } from '../platform/ids.ts'
import type { Log } from '../platform/log.ts'
import type { Metrics } from '../platform/metrics.ts'
import { callerAddress, parseCidr } from '../platform/trusted-proxies.ts'
import { allowOrigins, answerPreflight } from './cors.ts'
import { createErrorHandler, refusalOf, sendError } from './errors.ts'
import type { Authenticate } from './principal.ts'
import { parseJson, type Route } from './route.ts'

export interface ServerOptions {
  readonly routes: readonly Route[]
  readonly authenticate: Authenticate
  readonly trustedProxies: readonly string[]
  readonly log: Log
  readonly metrics: Metrics
}

const maxBodyBytes = 65_536
const requestTimeoutMs = 30_000
const keptRequestId = /^[A-Za-z0-9_-]{8,64}$/

export function createServer({
  routes,
  authenticate,
  trustedProxies,
  log,
  metrics,
}: ServerOptions): FastifyInstance {
  const server = Fastify({
    logger: false,
    bodyLimit: maxBodyBytes,
    requestTimeout: requestTimeoutMs,
    connectionTimeout: requestTimeoutMs,
    exposeHeadRoutes: false,
    routerOptions: { maxParamLength: 128 },
    genReqId: (raw) => {
      const sent = raw.headers['x-request-id']
      return typeof sent === 'string' && keptRequestId.test(sent) ? sent : newId('request', Date.now())
    },
    frameworkErrors: (error, request, reply) => {
      void sendError(
        request,
        reply,
        refusalOf(error) ?? new AppError('PathNotFound', 'There is nothing at this path.'),
      )
    },
  })
  server.removeAllContentTypeParsers()
  server.addContentTypeParser('application/json', { parseAs: 'string' }, (_request, body, done) =>
    done(null, body),
  )
  server.setErrorHandler(createErrorHandler(log))
  server.setNotFoundHandler((request, reply) => refuseUnknown(request, reply, routes))
  server.addHook('onRequest', async (request, reply) => {
    reply
      .header('x-request-id', request.id)
      .header('x-content-type-options', 'nosniff')
      .header('cache-control', 'no-store')
  })
  server.addHook('onResponse', async (request, reply) => {
    metrics.observeRequest(
      request.method,
      request.routeOptions.url ?? 'unknown',
      reply.statusCode,
      reply.elapsedTime / 1000,
    )
  })

  const proxies = trustedProxies.map(parseCidr).filter((cidr) => cidr !== null)
  for (const route of routes) register(server, route, authenticate, proxies)
  refuseOtherMethods(server, routes)
  return server
}

const fastifyPath = (path: string) => path.replaceAll(/\{(\w+)\}/g, ':$1')

function register(
  server: FastifyInstance,
  { operation, run }: Route,
  authenticate: Authenticate,
  proxies: Parameters<typeof callerAddress>[2],
): void {
  const isForDevices = operation.access === 'key'
  const url = fastifyPath(operation.path)
  const principals = new WeakMap<FastifyRequest, Awaited<ReturnType<Authenticate>>>()
  server.route({
    method: operation.method,
    url,
    // Who calls is settled before a byte of the body is read.
    onRequest: async (request, reply) => {
      if (isForDevices) allowOrigins(reply)
      principals.set(request, await authenticate(operation.access, request.headers.authorization))
    },
    handler: async (request, reply) => {
      const forwarded = request.headers['x-forwarded-for']
      const answer = await run(
        {
          body: operation.body ? parseJson(request.body) : undefined,
          query: request.query,
          params: request.params as Readonly<Record<string, string>>,
          header: (name) => {
            const value = request.headers[name]
            return Array.isArray(value) ? value.join(', ') : value
          },
          callerAddress: callerAddress(
            request.ip,
            Array.isArray(forwarded) ? forwarded.join(',') : forwarded,
            proxies,
          ),
        },
        principals.get(request) ?? null,
      )
      return reply.code(operation.status ?? 200).send(answer)
    },
  })
  if (isForDevices && !server.hasRoute({ method: 'OPTIONS', url })) server.options(url, answerPreflight)
}

/** Said for each path, since `/otp/{otp_id}` would take `/otp/send` for an id. */
function refuseOtherMethods(server: FastifyInstance, routes: readonly Route[]): void {
  for (const url of new Set(routes.map(({ operation }) => fastifyPath(operation.path)))) {
    for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const) {
      if (server.hasRoute({ method, url })) continue
      server.route({ method, url, handler: async (request, reply) => refuseUnknown(request, reply, routes) })
    }
  }
}

function refuseUnknown(request: FastifyRequest, reply: FastifyReply, routes: readonly Route[]): FastifyReply {
  const path = request.url.split('?')[0] ?? ''
  const matching = routes.filter(({ operation }) =>
    new RegExp(`^${operation.path.replaceAll(/\{\w+\}/g, '[^/]+')}$`).test(path),
  )
  const exact = matching.filter(({ operation }) => operation.path === path)
  const allowed = (exact.length > 0 ? exact : matching).map(({ operation }) => operation.method)
  if (allowed.length === 0)
    return sendError(request, reply, new AppError('PathNotFound', 'There is nothing at this path.'))
  const methods = [...new Set(allowed)].join(', ')
  reply.header('allow', methods)
  return sendError(
    request,
    reply,
    new AppError('MethodNotAllowed', `This path takes ${methods}.`, { allow: methods }),
  )
}
