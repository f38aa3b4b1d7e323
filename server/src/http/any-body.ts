import type { FastifyInstance } from 'fastify'

/** Raw bytes whatever the content type: signatures are over bytes. */
export function allowAnyBody(scope: FastifyInstance, bodyLimit: number): void {
  scope.removeAllContentTypeParsers()
  scope.addContentTypeParser('*', { parseAs: 'buffer', bodyLimit }, (_request, body, done) =>
    done(null, body),
  )
}
