/** A node, and ways to call it in correct and in broken HTTP. */
import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { type Operation, operations } from '@countersign/contract'
import { createTenant } from './harness/fixtures.ts'
import type { Answer } from './harness/node.ts'
import { startService } from './harness/service.ts'

/** Every operation except those for signing in, which anybody may call. */
export const guarded = Object.values<Operation>(operations).filter(({ access }) => access !== 'public')
export const opensApi = ({ access }: Operation) => access === 'key' || access === 'server_key'

export const sendPath = '/api/v1/otp/send'
export const maxBodyBytes = 65_536
export const newRequestId = /^req_[0-9a-z]{26}$/

export function assertErrorBody(answer: Answer, expectedStatus: number, type = 'HTTPException'): void {
  assert.equal(answer.status, expectedStatus, JSON.stringify(answer.body))
  assert.match(answer.headers.get('content-type') ?? '', /^application\/json(;|$)/)
  assert.deepEqual(Object.keys(answer.body), ['error', 'request_id'])
  assert.deepEqual(Object.keys(answer.body.error), ['type', 'message', 'details'])
  assert.equal(answer.body.error.type, type)
  assert.ok(answer.body.error.message.length > 0)
  assert.equal(Object.prototype.toString.call(answer.body.error.details), '[object Object]')
  assert.equal(answer.headers.get('x-request-id'), answer.body.request_id)
}

export async function startTalk() {
  const { database, node, close } = await startService()
  const tenant = await createTenant(node)

  const post = (body: unknown, headers: Record<string, string> = {}) =>
    node.call('POST', sendPath, { key: tenant.serverKey, body, headers })

  const postUntyped = (body: string) =>
    speak(
      `POST ${sendPath} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${tenant.serverKey}\r\ncontent-length: ${Buffer.byteLength(body)}\r\nconnection: close\r\n\r\n${body}`,
    )

  /** Sends bytes unchanged; in a string fetch would replace what is not valid UTF-8. */
  async function postBytes(body: Uint8Array, headers: Record<string, string> = {}): Promise<Answer> {
    const response = await fetch(`${node.baseUrl}${sendPath}`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${tenant.serverKey}`,
        'content-type': 'application/json',
        ...headers,
      },
      body: new Uint8Array(body),
    })
    return { status: response.status, headers: response.headers, body: await response.json() }
  }

  /** Writes to a bare socket and reads until the server closes it, or until `isEnough`. */
  function speak(text: string, isEnough: (heard: string) => boolean = () => false): Promise<string> {
    return new Promise((resolve, reject) => {
      const { hostname, port } = new URL(node.baseUrl)
      const socket = connect(Number(port), hostname, () => socket.write(text))
      let heard = ''
      socket.setTimeout(20_000, () => socket.destroy(new Error(`no end after: ${heard}`)))
      socket.on('data', (data) => {
        heard += data.toString()
        if (!isEnough(heard)) return
        // How the connection ends does not matter: a server that did not read everything may reset it.
        resolve(heard)
        socket.destroy()
      })
      socket.on('close', () => resolve(heard))
      socket.on('error', reject)
    })
  }

  return { database, node, tenant, close, post, postUntyped, postBytes, speak }
}
