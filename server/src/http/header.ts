/** Reads headers of a call, and has those of every answer. Node joins headers that are sent twice. */
import { AppError } from '@countersign/contract'
import type { FastifyRequest } from 'fastify'
import { validationError } from '../domain/answers/index.ts'

/** Whoever carries an answer is to store none of it, and to take its type from the header. */
export const answerHeaders = { 'x-content-type-options': 'nosniff', 'cache-control': 'no-store' } as const

export function joinedHeader({ headers }: FastifyRequest, name: string): string | undefined {
  const value = headers[name]
  return Array.isArray(value) ? value.join(', ') : value
}

/** Counts characters as people do: Node turns each byte of a header into one character, even in UTF-8. */
const charactersIn = (header: string): number => [...Buffer.from(header, 'latin1').toString()].length

const maxIdempotencyKey = 128

/** An empty key counts as absent. One that was sent twice is refused: the joined text is neither of the two. */
export function idempotencyKeyIn(request: FastifyRequest): string | null {
  const name = 'idempotency-key'
  const key = joinedHeader(request, name)
  if (key?.includes(',') && (request.raw.headersDistinct[name]?.length ?? 0) > 1)
    throw validationError([{ path: name, message: 'must be sent once' }])
  if (key === undefined || key === '') return null
  if (key.length <= maxIdempotencyKey || charactersIn(key) <= maxIdempotencyKey) return key
  throw new AppError(
    'InvalidIdempotencyKeyError',
    `${name} must have at most ${maxIdempotencyKey} characters.`,
  )
}
