/** Devices call from pages of any origin: the kind of the key protects them, not the origin of the page. */
import type { FastifyReply, FastifyRequest } from 'fastify'

const preflightSeconds = 7_200

export const originHeaders = {
  'access-control-allow-origin': '*',
  'access-control-expose-headers': 'date, retry-after, x-request-id',
} as const

export const allowOrigins = (reply: FastifyReply): FastifyReply => reply.headers(originHeaders)

export async function answerPreflight(_request: FastifyRequest, reply: FastifyReply): Promise<void> {
  await allowOrigins(reply)
    .header('access-control-allow-methods', 'GET, POST')
    .header('access-control-allow-headers', 'authorization, content-type, idempotency-key, x-request-id')
    .header('access-control-max-age', preflightSeconds)
    .code(204)
    .send()
}
