/** Headers of a call. Node joins those that are sent twice. */
import type { FastifyRequest } from 'fastify'
import { validationError } from '../domain/answers/index.ts'

export function joinedHeader({ headers }: FastifyRequest, name: string): string | undefined {
  const value = headers[name]
  return Array.isArray(value) ? value.join(', ') : value
}

/** Refuses a header that was sent twice: joined, it is neither of the two values. */
export function singleHeader(request: FastifyRequest, name: string): string | undefined {
  const text = joinedHeader(request, name)
  if (text?.includes(',') && (request.raw.headersDistinct[name]?.length ?? 0) > 1)
    throw validationError([{ path: name, message: 'must be sent once' }])
  return text
}

/** As people count them: Node makes one character of each byte, even in UTF-8. */
export const charactersIn = (header: string): number => [...Buffer.from(header, 'latin1').toString()].length
