import assert from 'node:assert/strict'
import { PassThrough } from 'node:stream'
import { describe, it } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import type { AppError } from '@countersign/contract'
import fastify from 'fastify'
import { takeCallbackBodies } from './callback-body.ts'
import { sendError } from './errors.ts'

const mebibyte = 1_048_576
const headers = { 'transfer-encoding': 'chunked' }

describe('bodies of callbacks', () => {
  const server = fastify()
  takeCallbackBodies(server, ({ url }) => ({ maxBytes: mebibyte, isWanted: url === '/somebody' }))
  server.setErrorHandler((error, request, reply) => sendError(request, reply, error as AppError))
  server.post('*', async (request) => ({ bytes: (request.body as Buffer).length }))

  /** Sends `bytes` of a body, and ends it when told to. */
  const begin = async (url: string, bytes: number) => {
    const payload = new PassThrough()
    let isAnswered = false
    const answer = server.inject({ method: 'POST', url, headers, payload }).finally(() => {
      isAnswered = true
    })
    payload.write(Buffer.alloc(bytes))
    while (payload.readableLength > 0 && !isAnswered) await setImmediate()
    return async () => {
      payload.end()
      const { statusCode, body } = await answer
      return { status: statusCode, bytes: statusCode === 200 ? JSON.parse(body).bytes : null }
    }
  }
  const beginMany = (url: string, count: number) =>
    Promise.all(Array.from({ length: count }, () => begin(url, mebibyte)))

  it('take no room where nobody wants them, and are read to their end all the same', async () => {
    const unwanted = await beginMany('/nobody', 100)
    const wanted = await beginMany('/somebody', 32)
    for (const end of wanted) assert.deepEqual(await end(), { status: 200, bytes: mebibyte })
    for (const end of unwanted) {
      const { status, bytes } = await end()
      assert.equal(status, 200)
      assert.ok(bytes <= 65_536, `${bytes} bytes were kept`)
    }
  })

  it('are refused in the same way, whether somebody wants them or not', async () => {
    const ends = await Promise.all(['/nobody', '/somebody'].map((url) => begin(url, mebibyte + 1)))
    for (const end of ends) assert.equal((await end()).status, 413)
    const wanted = await beginMany('/somebody', 32)
    const late = await Promise.all(['/nobody', '/somebody'].map((url) => begin(url, mebibyte)))
    for (const end of late) assert.equal((await end()).status, 503)
    for (const end of wanted) assert.equal((await end()).status, 200)
  })
})
