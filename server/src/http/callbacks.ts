/** Callbacks of providers: verified before they are parsed, answered once they are recorded, and safe to repeat. */
import { AppError } from '@countersign/contract'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { CallbackRequest, CallbackResult, InboundMessage, Receipt } from '../channels/channel.ts'
import type { Listeners, Provider } from '../domain/routing/index.ts'
import type { Clock } from '../platform/clock.ts'
import { takeCallbackBodies } from './callback-body.ts'
import { createAddressOf } from './caller-address.ts'
import { sendError } from './errors.ts'
import { refuseOtherMethods } from './other-methods.ts'

export interface CallbackDependencies {
  readonly providers: Listeners
  readonly publicUrl: string
  readonly trustedProxies: readonly string[]
  readonly clock: Clock
  /** Rejects if the receipt could not be recorded within `waitMs`. */
  readonly onReceipt: (providerId: string, receipt: Receipt, waitMs: number) => Promise<void>
  readonly onInbound: (provider: Provider, message: InboundMessage) => Promise<void>
}

export const callbackPath = (providerId: string, token: string | null = null) =>
  token === null ? `/hooks/${providerId}` : `/hooks/${providerId}/${token}`

const paths = [callbackPath(':provider_id'), callbackPath(':provider_id', ':token')]

interface CallbackParams {
  readonly provider_id: string
  readonly token?: string
}
type CallbackCall = FastifyRequest<{ Params: CallbackParams }>

const maxCallbackBytes = 1_048_576
/** How long recording the receipts of a call may take, for providers that call again after an error. */
const patienceMs = 5_000
/** How many receipts of one call are recorded at once: they are looked up and written together, on few connections. */
const maxAtOnce = 250

export function registerCallbacks(server: FastifyInstance, dependencies: CallbackDependencies): void {
  void server.register(async (scope) => {
    takeCallbackBodies(scope, (request) => {
      const { provider_id: providerId } = request.params as CallbackParams
      const provider = dependencies.providers.findListener(providerId)
      const maxBytes = provider?.account.maxCallbackBytes ?? maxCallbackBytes
      return { maxBytes, isWanted: provider !== undefined }
    })
    const addressOf = createAddressOf(dependencies.trustedProxies)
    for (const url of paths) {
      scope.route<{ Params: CallbackParams }>({
        method: ['GET', 'POST'],
        url,
        handler: (request, reply) => receive(dependencies, request, reply, addressOf(request)),
      })
    }
    refuseOtherMethods(
      scope,
      paths.flatMap((url) => ['GET', 'POST'].map((method) => ({ method, url }))),
    )
  })
}

async function receive(
  dependencies: CallbackDependencies,
  request: CallbackCall,
  reply: FastifyReply,
  address: string,
): Promise<unknown> {
  const provider = dependencies.providers.findListener(request.params.provider_id)
  const isExpected =
    (provider?.account.expectsCallbackToken ?? false) === (request.params.token !== undefined)
  const call = callbackRequestOf(request, address, dependencies)
  const result = isExpected && provider?.account.parseCallback?.(call)
  if (result && result.kind === 'rejected' && result.reason === 'handshake') return forbid(request, reply)
  if (!provider || !result || result.kind === 'rejected') return refuse(request, reply)
  if (result.kind === 'challenge') return reply.type('text/plain').send(result.body)
  // A GET changes nothing: it is only for the handshake.
  if (request.method === 'GET') return refuse(request, reply)
  await take(dependencies, provider, result)
  if (result.isShared) await share(dependencies, provider, call)
  return reply.code(200).send({})
}

type Accepted = Extract<CallbackResult, { kind: 'accepted' }>

async function take(
  dependencies: CallbackDependencies,
  provider: Provider,
  { receipts, inbound }: Accepted,
): Promise<void> {
  await record(dependencies, provider, receipts)
  // An account that is switched off approves nobody.
  if (provider.isResting) return
  for (const message of inbound) await dependencies.onInbound(provider, message)
}

/**
 * Passes a call on to the other accounts of the same owner and kind, as if it had come to each: each checks the
 * signature itself.
 */
async function share(
  dependencies: CallbackDependencies,
  called: Provider,
  call: CallbackRequest,
): Promise<void> {
  for (const other of dependencies.providers.listeners()) {
    if (other === called || other.kind !== called.kind || other.companyId !== called.companyId) continue
    const result = other.account.parseCallback?.(call)
    if (result?.kind === 'accepted') await take(dependencies, other, result)
  }
}

/** Records all receipts of a call, a limited number at once, within the time that its provider waits. */
async function record(
  { onReceipt }: CallbackDependencies,
  { providerId, account }: Provider,
  receipts: readonly Receipt[],
): Promise<void> {
  const untilMs = performance.now() + (account.callbackPatienceMs ?? patienceMs)
  for (let from = 0; from < receipts.length; from += maxAtOnce) {
    const waitMs = Math.max(0, untilMs - performance.now())
    const some = receipts.slice(from, from + maxAtOnce)
    await Promise.all(some.map((receipt) => onReceipt(providerId, receipt, waitMs)))
  }
}

/** 403 is what Meta's documentation asks for. */
const forbid = (request: CallbackCall, reply: FastifyReply) =>
  sendError(request, reply, new AppError('ForbiddenError', 'This handshake is not accepted.'))

const refuse = (request: CallbackCall, reply: FastifyReply) =>
  sendError(request, reply, new AppError('Unauthorized', 'This callback is not accepted.'))

function callbackRequestOf(
  request: CallbackCall,
  address: string,
  { publicUrl, clock }: CallbackDependencies,
): CallbackRequest {
  const headers = Object.entries(request.headers).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, Array.isArray(value) ? value.join(', ') : value] as const],
  )
  return {
    method: request.method === 'GET' ? 'GET' : 'POST',
    url: `${publicUrl}${request.url}`,
    token: request.params.token ?? null,
    address,
    query: Object.fromEntries(new URL(request.url, publicUrl).searchParams),
    headers: Object.fromEntries(headers),
    body: Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0),
    nowMs: clock.nowMs(),
  }
}
