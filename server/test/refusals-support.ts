/** Checks refusals exactly: status, type, message, details and headers. */
import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sayDuration } from '@countersign/contract'
import { createTenant } from './harness/fixtures.ts'
import type { Answer } from './harness/node.ts'
import { startService } from './harness/service.ts'

const abusive = '198.18.0.0/15'
export const usableIp = '8.8.8.8'
export const abusiveIp = '9.9.9.9'
export const vpnIp = '8.8.4.4'
export const unknownOtp = 'otp_01kxxxxxxx0000000000000000'

export interface Refusal {
  readonly status: number
  readonly type: string
  readonly message: RegExp
  readonly details?: Record<string, unknown>
}

/** Checks the parts that every refusal has, and those that this one must have. */
export function assertRefusal(answer: Answer, expected: Refusal): void {
  assert.equal(answer.status, expected.status, JSON.stringify(answer.body))
  assert.match(answer.headers.get('content-type') ?? '', /^application\/json(;|$)/)
  assert.deepEqual(Object.keys(answer.body), ['error', 'request_id'])
  assert.deepEqual(Object.keys(answer.body.error), ['type', 'message', 'details'])
  assert.match(answer.body.request_id, /^req_[0-9a-z]{26}$/)
  assert.equal(answer.headers.get('x-request-id'), answer.body.request_id)
  assert.equal(answer.body.error.type, expected.type)
  assert.match(answer.body.error.message, expected.message)
  assert.deepEqual(answer.body.error.details, expected.details ?? {})
  assert.equal(answer.headers.has('retry-after'), expected.status === 429 || expected.status === 503)
}

/** How long a test may take from the send to the refusal, on a busy machine. */
const busySeconds = 45

/** A 429 whose header, details and message agree on the wait, allowing for the time that the test took. */
export function assertWait(answer: Answer, type: string, scope: string, most: number): void {
  const seconds = answer.body?.error?.details?.retry_after
  assert.ok(
    Number.isInteger(seconds) && seconds >= Math.max(1, most - busySeconds) && seconds <= most,
    JSON.stringify(answer.body),
  )
  assert.equal(answer.headers.get('retry-after'), String(seconds))
  assertRefusal(answer, {
    status: 429,
    type,
    message: new RegExp(`\\b${sayDuration(seconds)}\\b`),
    details: { scope, retry_after: seconds },
  })
}

export const field = (path: string, message: RegExp) => (answer: Answer) => {
  const fields: { path: string; message: string }[] = answer.body?.error?.details?.fields
  assert.equal(fields?.length, 1, JSON.stringify(answer.body))
  assert.equal(fields[0]?.path, path)
  assert.match(fields[0]?.message ?? '', message)
  assertRefusal(answer, {
    status: 422,
    type: 'ValidationError',
    message: new RegExp(path ? `${path}: ` : 'body'),
    details: { fields },
  })
}

/** A node that knows some addresses as abusive, and one as a VPN's. */
export async function startRefusing() {
  const folder = await mkdtemp(join(tmpdir(), 'refusals-'))
  await writeFile(join(folder, 'abusive.txt'), `${abusive}\n${abusiveIp}\n`)
  await writeFile(join(folder, 'vpn.txt'), `${vpnIp}\n`)
  const sources = [
    { path: join(folder, 'abusive.txt'), class: 'abusive' },
    { path: join(folder, 'vpn.txt'), class: 'vpn' },
  ]
  await writeFile(join(folder, 'sources.json'), JSON.stringify(sources))
  const { database, node, close } = await startService({ ipSourcesFile: join(folder, 'sources.json') })
  const tenant = await createTenant(node)

  const exchange = (key: string | undefined, body: unknown) =>
    node.call('POST', '/api/v1/verifications/exchange', { ...(key ? { key } : {}), body })

  return {
    database,
    node,
    tenant,
    exchange,
    close: async () => {
      await close()
      await rm(folder, { recursive: true, force: true })
    },
  }
}
