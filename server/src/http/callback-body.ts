/**
 * Bodies of callbacks: raw bytes whatever the content type, for signatures are over bytes. Whoever sends one has proven
 * nothing before all of it is here, so what large ones hold together is bounded.
 */
import type { Readable } from 'node:stream'
import { AppError } from '@countersign/contract'
import type { FastifyInstance, FastifyRequest } from 'fastify'

/** As every other call may have; a flood of large bodies keeps none of these out. */
const smallBytes = 65_536
/** Of all larger ones together while they arrive: eight of the largest. */
const mostHeldBytes = 33_554_432
const retryAfterSeconds = 1

export function takeCallbackBodies(
  scope: FastifyInstance,
  limitOf: (request: FastifyRequest) => number,
): void {
  const room = { heldBytes: 0 }
  scope.removeAllContentTypeParsers()
  scope.addContentTypeParser('*', (request, payload, done) => {
    const limit = limitOf(request)
    if (Number(request.headers['content-length']) > limit) done(tooLarge(limit))
    else read(payload, limit, room, done)
  })
}

function read(
  payload: Readable,
  limit: number,
  room: { heldBytes: number },
  done: (error: Error | null, body?: Buffer) => void,
): void {
  const chunks: Buffer[] = []
  let size = 0
  let held = 0
  const onData = (chunk: Buffer) => {
    size += chunk.length
    if (size > limit) return end(tooLarge(limit))
    const more = size > smallBytes ? size - held : 0
    if (room.heldBytes + more > mostHeldBytes) return end(tooMany())
    room.heldBytes += more
    held += more
    chunks.push(chunk)
  }
  const onEnd = () => end(null)
  const end = (error: Error | null) => {
    payload.off('data', onData).off('end', onEnd).off('error', end)
    room.heldBytes -= held
    if (!error) return done(null, Buffer.concat(chunks, size))
    // What else comes is dropped, so that the answer is heard.
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
