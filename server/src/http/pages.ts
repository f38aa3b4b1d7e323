/** Pages that are neither API nor callback: health, metrics, the OpenAPI document, public keys. */
import { timingSafeEqual } from 'node:crypto'
import { AppError, openApiDocument } from '@countersign/contract'
import type { FastifyInstance } from 'fastify'
import { sha256 } from '../platform/keyring.ts'
import type { Metrics } from '../platform/metrics.ts'
import type { SigningKeys } from '../platform/signing-keys.ts'
import { registerPage } from './other-methods.ts'
import { bearerOf } from './principal.ts'
import type { Readiness } from './readiness.ts'

export interface PageDependencies {
  readonly metrics: Metrics
  /** The token that a reader of the metrics must send; null if everybody may read them. */
  readonly metricsToken: string | null
  readonly readiness: () => Promise<Readiness>
  readonly signingKeys: () => SigningKeys
  /** Where somebody who opens the bare address is redirected. */
  readonly home: string
}

/** How long the keys may be cached. Far less than the day for which a key is published before it signs. */
const jwksSeconds = 3_600

export function registerPages(server: FastifyInstance, dependencies: PageDependencies): void {
  const { metrics, metricsToken, readiness, signingKeys, home } = dependencies
  // Kept as bytes: writing it takes longer than a send, and anybody may ask for it.
  const describe = onDemand(() => Buffer.from(JSON.stringify(openApiDocument())))
  registerPage(server, '/healthz', async () => ({ status: 'alive' }))
  registerPage(server, '/readyz', async (_request, reply) => {
    const found = await readiness()
    return reply.code(found.status === 'ready' ? 200 : 503).send(found)
  })
  const mayReadMetrics = tokenCheck(metricsToken)
  registerPage(server, '/metrics', async ({ headers }, reply) => {
    if (!mayReadMetrics(headers.authorization)) {
      throw new AppError('Unauthorized', 'Send the token of the metrics as "Authorization: Bearer <token>".')
    }
    return reply.type(metrics.contentType).send(await metrics.text())
  })
  registerPage(server, '/api/v1/openapi.json', async (_request, reply) =>
    reply.header('access-control-allow-origin', '*').type('application/json; charset=utf-8').send(describe()),
  )
  registerPage(server, '/.well-known/jwks.json', async (_request, reply) =>
    reply
      .header('access-control-allow-origin', '*')
      .header('cache-control', `public, max-age=${jwksSeconds}`)
      .send({ keys: signingKeys().published }),
  )
  registerPage(server, '/', async (_request, reply) => reply.redirect(home))
}

/** Made at the first request, since making it takes longer than any other part of a start. */
function onDemand<Made>(make: () => Made): () => Made {
  let made: Made | undefined
  return () => {
    made ??= make()
    return made
  }
}

/** Compares hashes, which all have the same length. */
function tokenCheck(token: string | null): (authorization: string | undefined) => boolean {
  if (token === null) return () => true
  const expected = sha256(token)
  return (authorization) => timingSafeEqual(sha256(bearerOf(authorization) ?? ''), expected)
}
