/** Where providers speak to us: verified before it is parsed, answered at once, good to come twice. */
import { AppError } from '@countersign/contract'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { CallbackRequest, InboundMessage, Receipt } from '../channels/channel.ts'
import type { Provider, Providers } from '../domain/routing/index.ts'
import type { Clock } from '../platform/clock.ts'
import { allowAnyBody } from './any-body.ts'
import { sendError } from './errors.ts'
import { refuseOtherMethods } from './server.ts'

export interface CallbackDependencies {
  readonly providers: Providers
  readonly publicUrl: string
  readonly clock: Clock
  readonly onReceipt: (providerId: string, receipt: Receipt) => Promise<void>
  readonly onInbound: (provider: Provider, message: InboundMessage) => Promise<void>
}

export const callbackPath = (providerId: string) => `/hooks/${providerId}`

const maxCallbackBytes = 1_048_576

export function registerCallbacks(server: FastifyInstance, dependencies: CallbackDependencies): void {
  void server.register(async (scope) => {
    allowAnyBody(scope, maxCallbackBytes)
    scope.route<{ Params: { provider_id: string } }>({
      method: ['GET', 'POST'],
      url: callbackPath(':provider_id'),
      handler: async (request, reply) => {
        const provider = dependencies.providers.find(request.params.provider_id)
        const result = provider?.account.parseCallback?.(callbackRequestOf(request, dependencies))
        if (!provider || !result || result.kind === 'rejected') {
          return refuse(request, reply)
        }
        if (result.kind === 'challenge') return reply.type('text/plain').send(result.body)
        // Reading changes nothing: by GET there is only the handshake.
        if (request.method === 'GET') return refuse(request, reply)
        for (const receipt of result.receipts) await dependencies.onReceipt(provider.providerId, receipt)
        for (const message of result.inbound) await dependencies.onInbound(provider, message)
        return reply.code(200).send({})
      },
    })
    refuseOtherMethods(
      scope,
      ['GET', 'POST'].map((method) => ({ method, url: callbackPath(':provider_id') })),
    )
  })
}

const refuse = (request: FastifyRequest, reply: FastifyReply) =>
  sendError(request, reply, new AppError('Unauthorized', 'This callback is not accepted.'))

function callbackRequestOf(
  request: FastifyRequest,
  { publicUrl, clock }: CallbackDependencies,
): CallbackRequest {
  const headers = Object.entries(request.headers).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, Array.isArray(value) ? value.join(', ') : value] as const],
  )
  return {
    method: request.method === 'GET' ? 'GET' : 'POST',
    url: `${publicUrl}${request.url}`,
    query: Object.fromEntries(new URL(request.url, publicUrl).searchParams),
    headers: Object.fromEntries(headers),
    body: Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0),
    nowMs: clock.nowMs(),
  }
}
