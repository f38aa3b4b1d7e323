/** A change whose answer is lost: made again with the same idempotency key where there is one, and otherwise not. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ConnectionError, createManagement } from '../src/index.ts'
import { answer, drop, dropMidway, serve } from './scripted-server.ts'

const params = { company_id: 'cmp_1' }
const body = { amount: '10', note: 'invoice 17' }
const credited = answer(201, { balance: '10.000000' })

for (const [name, trouble] of Object.entries({ drop, dropMidway })) {
  test(`${name}: a credit is repeated with one idempotency key`, async (t) => {
    const { url, received } = await serve(t, trouble, trouble, credited)
    const management = createManagement('token', { baseUrl: url })
    assert.deepEqual(await management.creditCompany({ params, body }), { balance: '10.000000' })
    const keys = received.map(({ headers }) => String(headers['idempotency-key']))
    assert.equal(keys.length, 3)
    assert.equal(new Set(keys).size, 1)
    assert.match(String(keys[0]), /^[0-9a-f-]{36}$/)
  })
}

test('two credits have two idempotency keys, an empty one is replaced, and a given one is kept', async (t) => {
  const { url, received } = await serve(t, credited)
  const management = createManagement('token', { baseUrl: url })
  await management.creditCompany({ params, body })
  await management.creditCompany({ params, body }, { idempotencyKey: '' })
  await management.creditCompany({ params, body }, { idempotencyKey: 'invoice-17' })
  const keys = received.map(({ headers }) => headers['idempotency-key'])
  assert.equal(new Set(keys).size, 3)
  assert.equal(keys[2], 'invoice-17')
  for (const idempotencyKey of ['a b', 'ü'])
    await assert.rejects(management.creditCompany({ params, body }, { idempotencyKey }), TypeError)
})

test('a change that takes no idempotency key is sent without one, and is not repeated', async (t) => {
  const { url, received } = await serve(t, drop)
  const management = createManagement('token', { baseUrl: url })
  await assert.rejects(management.updateCompany({ params, body: { name: 'Shop' } }), ConnectionError)
  assert.equal(received.length, 1)
  assert.equal(received[0]?.headers['idempotency-key'], undefined)
  const given: object = { idempotencyKey: 'once' }
  await assert.rejects(
    management.updateCompany({ params, body: { name: 'Shop' } }, given),
    /takes no idempotency key/,
  )
})
