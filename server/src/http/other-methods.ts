/** Answers 405 to a method that a path does not take, and names those that it takes, before the body is read. */
import { AppError } from '@countersign/contract'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import findMyWay from 'find-my-way'

const everyMethod = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE'] as const

/** Other methods that Node can parse (PROPFIND, QUERY …) are treated as TRACE, which no path takes either. */
export function routedMethod(method: string | undefined): string {
  return everyMethod.find((name) => name === method) ?? 'TRACE'
}

interface PageRoute {
  /** The part of the path that `*` stands for. */
  readonly Params: { readonly '*': string }
}

/** A page or a document: takes GET and HEAD, and nothing else. */
export function registerPage(
  server: FastifyInstance,
  url: string,
  handler: (request: FastifyRequest<PageRoute>, reply: FastifyReply) => Promise<unknown>,
): void {
  const methods = ['GET', 'HEAD']
  server.route<PageRoute>({ method: methods, url, handler })
  refuseOtherMethods(
    server,
    methods.map((method) => ({ method, url })),
  )
}

interface Taken {
  readonly method: string
  readonly url: string
}

/** Adds a route for each refused method: for a few paths, and where the error has its own format. */
export function refuseOtherMethods(server: FastifyInstance, table: readonly Taken[]): void {
  for (const [url, allow] of allowedAt(table)) {
    refuse(
      server,
      url,
      allow,
      everyMethod.filter((method) => !server.hasRoute({ method, url })),
    )
  }
}

/**
 * Like `refuseOtherMethods`, for many paths: adding a route for each method of each path would take most of the start.
 * A call without a route is looked up here instead, and a route is added only where another path would match:
 * `/otp/{otp_id}` would take `/otp/send` for an id.
 */
export function refuseUnroutedMethods(server: FastifyInstance, table: readonly Taken[]): void {
  const allowed = allowedAt(table)
  const entries = table.map((entry) => ({ ...entry, parts: entry.url.split('/') }))
  for (const [url, allow] of allowed) {
    const parts = url.split('/')
    const others = entries.filter((entry) => entry.url !== url && overlap(entry.parts, parts))
    const taken = everyMethod.filter(
      (method) => others.some((other) => other.method === method) && !server.hasRoute({ method, url }),
    )
    if (taken.length > 0) refuse(server, url, allow, taken)
  }
  let router: findMyWay.Instance<findMyWay.HTTPVersion.V1> | undefined
  server.addHook('onRequest', (request, reply, done) => {
    if (!request.is404) return done()
    router ??= routerOf(allowed)
    const found = router.find('GET', request.url)
    return found ? done(refusal(reply, String(found.store))) : done()
  })
}

function allowedAt(table: readonly Taken[]): Map<string, string> {
  const allowed = new Map<string, string>()
  for (const { method, url } of table) {
    const before = allowed.get(url)
    allowed.set(url, before ? `${before}, ${method}` : method)
  }
  return allowed
}

/** With the same maximum length of an id as the server's own router. */
function routerOf(allowed: ReadonlyMap<string, string>) {
  const router = findMyWay({ maxParamLength: 65_536 })
  for (const [url, allow] of allowed) router.on('GET', url, () => {}, allow)
  return router
}

/** Whether some URL matches both paths. */
function overlap(parts: readonly string[], others: readonly string[]): boolean {
  return (
    parts.length === others.length &&
    parts.every((part, index) => {
      const beside = others[index] ?? ''
      return part === beside || part.startsWith(':') || beside.startsWith(':')
    })
  )
}

function refuse(
  server: FastifyInstance,
  url: string,
  allow: string,
  methods: (typeof everyMethod)[number][],
): void {
  const handler = async (_request: FastifyRequest, reply: FastifyReply) => {
    throw refusal(reply, allow)
  }
  server.route({ method: methods, url, onRequest: handler, handler })
}

function refusal(reply: FastifyReply, allow: string): AppError {
  reply.header('allow', allow)
  return new AppError('MethodNotAllowed', `This path takes ${allow}.`, { allow })
}
