/** Errors that callers got: which are recorded, with what, and how many at most. */
import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { createKey, createTenant, freshPhone, send, started, status, verify } from './harness/fixtures.ts'
import { dumpRows } from './harness/records.ts'
import { startService } from './harness/service.ts'

const { database, node, close } = await startService()
after(close)

interface Listed {
  readonly error_id: string
  readonly key_id: string
  readonly endpoint: string
  readonly status: number
  readonly type: string
  readonly message: string
  readonly details: Record<string, unknown>
  readonly request_id: string
  readonly created_at: string
}

const list = async (appId: string, query = ''): Promise<Listed[]> =>
  (await node.manage('GET', `/apps/${appId}/errors?limit=200${query}`)).body.errors
const stats = async (appId: string) => (await node.manage('GET', `/apps/${appId}/errors/stats`)).body
const ofKey = async (appId: string, kind: string) =>
  (await node.manage('GET', `/apps/${appId}/keys`)).body.keys.find(
    (key: { kind: string }) => key.kind === kind,
  ).key_id
const kindOf = ({ endpoint, status: code, type }: Listed) => `${code} ${type} ${endpoint}`

describe('the errors of callers', () => {
  it('say of a body that is no object that it is the body', async () => {
    const { appId, serverKey } = await createTenant(node)
    await node.call('POST', '/api/v1/otp/send', { key: serverKey, body: [] })
    const [error] = await list(appId)
    assert.match(error?.message ?? '', /^The request is not valid\. body: /)
  })

  it('are listed by key, endpoint and type, with the request id that the answer had', async () => {
    const { appId, serverKey, publishableKey } = await createTenant(node, { max_verify_attempts: 1 })
    const { otpId, code } = await started(node, serverKey)
    await verify(
      node,
      serverKey,
      otpId,
      code.replace(/^./, (digit) => String((Number(digit) + 1) % 10)),
    )
    const answers = [
      await verify(node, serverKey, otpId, code),
      await send(node, serverKey, {}),
      await send(node, serverKey, { recipient: 'nobody' }),
      await status(node, serverKey, 'otp_unknown'),
      await node.call('POST', '/api/v1/verifications/exchange', { key: publishableKey, body: {} }),
    ]
    const errors = await list(appId)
    assert.deepEqual(errors.map(kindOf), [
      '401 HTTPException POST /api/v1/verifications/exchange',
      '404 OtpNotFoundError GET /api/v1/otp/{otp_id}',
      '422 InvalidRecipientError POST /api/v1/otp/send',
      '422 ValidationError POST /api/v1/otp/send',
      '409 OtpNotPendingError POST /api/v1/otp/verify',
    ])
    assert.deepEqual(
      errors.map(({ request_id }) => request_id),
      answers.map(({ body }) => body.request_id).reverse(),
    )
    const server = await ofKey(appId, 'server')
    assert.deepEqual(
      errors.map(({ key_id }) => key_id === server),
      [false, true, true, true, true],
    )
    assert.deepEqual(errors.at(-1)?.details, { otp_status: 'failed' })
    assert.deepEqual(errors.at(-2)?.details, { fields: [{ path: 'recipient', message: 'is required' }] })
    assert.match(errors.at(-2)?.message ?? '', /recipient: is required/)

    assert.equal((await list(appId, '&type=ValidationError')).length, 1)
    assert.equal((await list(appId, '&status=404')).length, 1)
    assert.equal((await list(appId, `&key_id=${server}`)).length, 4)
    assert.equal((await list(appId, `&endpoint=${encodeURIComponent('POST /api/v1/otp/send')}`)).length, 2)
    assert.equal((await list(appId, `&request_id=${answers[0]?.body.request_id}`)).length, 1)
  })

  it('have those of a key that is revoked, and none of a key that is nobody’s', async () => {
    const { appId } = await createTenant(node)
    const key = await createKey(node, appId, 'server')
    const keys = (await node.manage('GET', `/apps/${appId}/keys`)).body.keys
    const revoked = keys.at(-1).key_id
    await node.manage('DELETE', `/keys/${revoked}`)
    assert.equal((await send(node, key, { recipient: freshPhone() })).status, 401)
    assert.equal((await send(node, `${key}x`, { recipient: freshPhone() })).status, 401)
    assert.deepEqual(
      (await list(appId)).map((error) => [kindOf(error), error.key_id]),
      [['401 HTTPException POST /api/v1/otp/send', revoked]],
    )
  })

  it('are those of their own app only, and nothing that went well is among them', async () => {
    const tenant = await createTenant(node)
    const other = await createTenant(node)
    await send(node, other.serverKey, {})
    await started(node, tenant.serverKey)
    assert.deepEqual(await list(tenant.appId), [])
    assert.deepEqual((await stats(tenant.appId)).kinds, [])
    assert.equal((await list(other.appId)).length, 1)
  })

  it('hold nothing that a caller typed: no recipient, no code, no name of a field', async () => {
    const { appId, serverKey } = await createTenant(node)
    const canary = '+447400987654'
    await send(node, serverKey, { recipient: `${canary} x`, [canary]: canary })
    await send(node, serverKey, { recipient: canary, client_ip: canary })
    await verify(node, serverKey, canary, '98765432')
    const errors = await list(appId)
    assert.equal(errors.length, 3)
    assert.ok(!JSON.stringify(errors).includes('987654'))
    assert.deepEqual(errors.at(-1)?.details.fields, [
      { path: '(unknown field)', message: 'is not a field of this call' },
    ])
    for (const { table, row } of await dumpRows(database)) {
      if (table.startsWith('call_error')) assert.ok(!row.includes('987654'), row)
    }
  })

  it('are counted exactly, and the last hundred of each kind are kept', async () => {
    const { appId, serverKey } = await createTenant(node)
    for (let round = 0; round < 5; round++) {
      await Promise.all(Array.from({ length: 60 }, () => send(node, serverKey, {})))
      await list(appId)
    }
    for (let round = 0; round < 12; round++) {
      await Promise.all(Array.from({ length: 10 }, () => status(node, serverKey, 'otp_unknown')))
      await list(appId)
    }
    const { total, kinds, hours } = await stats(appId)
    assert.equal(total, 420)
    assert.deepEqual(
      kinds.map(({ type, count }: { type: string; count: number }) => [type, count]),
      [
        ['ValidationError', 300],
        ['OtpNotFoundError', 120],
      ],
    )
    assert.equal(
      hours.reduce((sum: number, { count }: { count: number }) => sum + count, 0),
      420,
    )
    const unknown = await list(appId, '&type=OtpNotFoundError')
    assert.equal(unknown.length, 100)
    assert.equal((await list(appId, '&type=ValidationError')).length, 100)
    const ids = unknown.map(({ error_id }) => error_id)
    assert.deepEqual(ids, ids.toSorted().toReversed(), 'newest first')
  })

  it('come page by page', async () => {
    const { appId, serverKey } = await createTenant(node)
    for (let count = 0; count < 5; count++) await status(node, serverKey, 'otp_unknown')
    const seen: string[] = []
    let cursor: string | null = ''
    while (cursor !== null) {
      const path: string = `/apps/${appId}/errors?limit=2${cursor && `&cursor=${cursor}`}`
      const { body } = await node.manage('GET', path)
      seen.push(...body.errors.map(({ error_id }: Listed) => error_id))
      cursor = body.next_cursor
    }
    assert.equal(new Set(seen).size, 5)
  })

  it('refuse a time that is no time to look at', async () => {
    const { appId } = await createTenant(node)
    const at = (from: string, to: string) =>
      node.manage('GET', `/apps/${appId}/errors/stats?from=${from}&to=${to}`)
    assert.equal((await at('2026-01-02T00:00:00Z', '2026-01-01T00:00:00Z')).status, 422)
    assert.equal((await at('2026-01-02T00:00:00Z', '2026-06-01T00:00:00Z')).status, 422)
    assert.equal((await at('2026-01-01T00:00:00Z', '2026-01-02T00:00:00Z')).status, 200)
  })
})
