/** Reads headers of a call. Node joins headers that are sent twice. */
import type { FastifyRequest } from 'fastify'
import { validationError } from '../domain/answers/index.ts'

export function joinedHeader({ headers }: FastifyRequest, name: string): string | undefined {
  const value = headers[name]
  return Array.isArray(value) ? value.join(', ') : value
}

/** Refuses a header that was sent twice: the joined text is neither of the two values. */
export function singleHeader(request: FastifyRequest, name: string): string | undefined {
  const text = joinedHeader(request, name)
  if (text?.includes(',') && (request.raw.headersDistinct[name]?.length ?? 0) > 1)
    throw validationError([{ path: name, message: 'must be sent once' }])
  return text
}

/** Counts characters as people do: Node turns each byte of a header into one character, even in UTF-8. */
export const charactersIn = (header: string): number => [...Buffer.from(header, 'latin1').toString()].length
