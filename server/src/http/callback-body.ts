/**
 * Reads bodies of callbacks as raw bytes whatever the content type, since signatures are over bytes. The sender has
 * proven nothing before the whole body is here, so large bodies share one bound on memory. Of a body for an unknown
 * account little is kept; its sender gets the same answer as for a wrong signature, and does not learn which accounts
 * exist.
 */
import type { Readable } from 'node:stream'
import { AppError } from '@countersign/contract'
import type { FastifyInstance, FastifyRequest } from 'fastify'

/** The limit of every other call; bodies up to this size are read even during a flood of large ones. */
const smallBytes = 65_536
/** The memory for all larger bodies together while they arrive: room for eight of the largest. */
const mostHeldBytes = 33_554_432
const retryAfterSeconds = 1

export interface BodyBound {
  readonly maxBytes: number
  /** Whether there is an account that the callback may be for. */
  readonly isWanted: boolean
}

export function takeCallbackBodies(
  scope: FastifyInstance,
  boundOf: (request: FastifyRequest) => BodyBound,
): void {
  const room = { heldBytes: 0 }
  scope.removeAllContentTypeParsers()
  scope.addContentTypeParser('*', (request, payload, done) => {
    const bound = boundOf(request)
    if (Number(request.headers['content-length']) > bound.maxBytes) done(tooLarge(bound.maxBytes))
    else read(payload, bound, room, done)
  })
}

function read(
  payload: Readable,
  { maxBytes, isWanted }: BodyBound,
  room: { heldBytes: number },
  done: (error: Error | null, body?: Buffer) => void,
): void {
  const chunks: Buffer[] = []
  let size = 0
  let held = 0
  const onData = (chunk: Buffer) => {
    size += chunk.length
    if (size > maxBytes) return end(tooLarge(maxBytes))
    const more = size > smallBytes ? size - held : 0
    if (room.heldBytes + more > mostHeldBytes) return end(tooMany())
    if (more > 0 && !isWanted) return
    room.heldBytes += more
    held += more
    chunks.push(chunk)
  }
  const onEnd = () => end(null)
  const end = (error: Error | null) => {
    payload.off('data', onData).off('end', onEnd).off('error', end)
    room.heldBytes -= held
    if (!error) return done(null, Buffer.concat(chunks))
    // Reads and drops the rest of the body, so that the sender gets the answer.
    payload.resume()
    done(error)
  }
  payload.on('data', onData).on('end', onEnd).on('error', end)
}

const tooLarge = (limit: number) =>
  new AppError('BodyTooLarge', `The body is larger than ${limit / 1_048_576} MiB.`)

const tooMany = () =>
  new AppError('UnavailableError', 'Too many large bodies are on their way. Try again shortly.', {
    retry_after: retryAfterSeconds,
  })
