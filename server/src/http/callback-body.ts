/**
 * Bodies of callbacks: raw bytes whatever the content type, for signatures are over bytes. Whoever sends one has proven
 * nothing before all of it is here, so what large ones hold together is bounded. Of a body that is for nobody, little is
 * kept; its sender hears the same as with one that nobody has signed, and so does not learn which accounts there are.
 */
import type { Readable } from 'node:stream'
import { AppError } from '@countersign/contract'
import type { FastifyInstance, FastifyRequest } from 'fastify'

/** As every other call may have; a flood of large bodies keeps none of these out. */
const smallBytes = 65_536
/** Of all larger ones together while they arrive: eight of the largest. */
const mostHeldBytes = 33_554_432
const retryAfterSeconds = 1

export interface BodyBound {
  readonly maxBytes: number
  /** Whether there is anybody who may want it. */
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
