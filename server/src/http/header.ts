/** Headers of a call, of which Node joins those that are sent twice. */
import type { FastifyRequest } from 'fastify'
import { validationError } from '../domain/answers/index.ts'

export function joinedHeader({ headers }: FastifyRequest, name: string): string | undefined {
  const value = headers[name]
  return Array.isArray(value) ? value.join(', ') : value
}

/** Two of them joined are neither of the two. */
export function singleHeader(request: FastifyRequest, name: string): string | undefined {
  const text = joinedHeader(request, name)
  if (text?.includes(',') && (request.raw.headersDistinct[name]?.length ?? 0) > 1)
    throw validationError([{ path: name, message: 'must be sent once' }])
  return text
}

/** As people write it: Node makes a character of each byte, also where they are UTF-8. */
export const charactersIn = (header: string): number => [...Buffer.from(header, 'latin1').toString()].length
