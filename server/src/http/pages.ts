/** What is neither API nor callback: health, metrics, the description of the API and its page. */
import { openApiDocument } from '@countersign/contract'
import type { FastifyInstance } from 'fastify'
import type { Metrics } from '../platform/metrics.ts'
import { renderReference } from './reference-page.ts'
import { refuseOtherMethods } from './server.ts'

export interface PageDependencies {
  readonly metrics: Metrics
  readonly isReady: () => Promise<boolean>
  /** Where somebody who knows only the address should begin. */
  readonly home: string
}

const pagePolicy =
  "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; frame-ancestors 'none'"

export function registerPages(server: FastifyInstance, { metrics, isReady, home }: PageDependencies): void {
  const document = openApiDocument()
  const page = renderReference(document)
  // HEAD too: some load balancers ask so.
  server.route({ method: ['GET', 'HEAD'], url: '/healthz', handler: async () => ({ status: 'alive' }) })
  server.route({
    method: ['GET', 'HEAD'],
    url: '/readyz',
    handler: async (_request, reply) => {
      const ready = await isReady().catch(() => false)
      return reply.code(ready ? 200 : 503).send({ status: ready ? 'ready' : 'not ready' })
    },
  })
  server.get('/metrics', async (_request, reply) =>
    reply.type(metrics.contentType).send(await metrics.text()),
  )
  server.get('/api/v1/openapi.json', async (_request, reply) =>
    reply.header('access-control-allow-origin', '*').send(document),
  )
  server.get('/docs', async (_request, reply) =>
    reply.type('text/html; charset=utf-8').header('content-security-policy', pagePolicy).send(page),
  )
  server.get('/', async (_request, reply) => reply.redirect(home))
  const paths = ['/healthz', '/readyz', '/metrics', '/api/v1/openapi.json', '/docs', '/']
  refuseOtherMethods(server, [
    ...paths.map((url) => ({ method: 'GET', url })),
    ...['/healthz', '/readyz'].map((url) => ({ method: 'HEAD', url })),
  ])
}
