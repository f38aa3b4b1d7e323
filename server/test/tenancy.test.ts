/** For the whole table of operations: who is let in, and what a stranger can learn. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type Operation, operations } from '@countersign/contract'
import { newId } from '../src/platform/ids.ts'
import { fieldsOf } from './harness/body-fields.ts'
import { createTestDatabase, type TestDatabase } from './harness/database.ts'
import { createApp, createTenant, started, type Tenant, verify } from './harness/fixtures.ts'
import { type Answer, adminToken, type Node, startNode } from './harness/node.ts'
import { lastingRows, settle } from './harness/records.ts'
import { closeAll } from './harness/two-nodes.ts'

let database: TestDatabase
let node: Node
let tenant: Tenant
let stranger: Tenant
/** Another app of the tenant's company. */
let sister: Tenant
let ids: Ids
let revokedKey: string
/** Everything in the database: no call of this suite may change it. */
let held: Awaited<ReturnType<typeof lastingRows>>

before(async () => {
  database = await createTestDatabase()
  node = await startNode(database.url)
  tenant = await createTenant(node)
  stranger = await createTenant(node)
  sister = await createApp(node, tenant.companyId)
  ids = await idsOf(tenant)
  const { key, key_id } = (await node.manage('POST', `/apps/${tenant.appId}/keys`, { kind: 'server' })).body
  await node.manage('DELETE', `/keys/${key_id}`)
  revokedKey = key
  await settle(database)
  // Expired limits are deleted once a minute, and this suite may take longer.
  await database.query("update limits set expires_at = expires_at + interval '1 day'")
  held = await lastingRows(database)
})
after(async () => {
  await closeAll([node, database])
})

type Ids = Readonly<Record<string, string>>

/** Operations that keys open; the others are for the operator and people. */
const isKeyed = ({ access }: Operation) => access === 'key' || access === 'server_key'

const bodyWords: Ids = { code: '123456', recipient: '+447400999999' }

function requestOf(operation: Operation, ids: Ids): { path: string; body?: unknown } {
  const path = operation.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const id = ids[name] ?? (isKeyed(operation) ? undefined : 'none')
    assert.ok(id, `this suite has no id for {${name}}`)
    return id
  })
  if (!operation.body) return { path }
  const words = { ...bodyWords, ...ids }
  const entries = fieldsOf(operation.body).flatMap((name) => (words[name] ? [[name, words[name]]] : []))
  return { path, body: Object.fromEntries(entries) }
}

const call = (operation: Operation, ids: Ids, authorization: string | null) =>
  node.call(operation.method, requestOf(operation, ids).path, {
    body: requestOf(operation, ids).body,
    ...(authorization === null ? {} : { headers: { authorization } }),
  })

/** Everything by which a caller could tell two answers apart. */
const seen = ({ status, body, headers }: Answer) => ({
  status,
  body: { ...body, request_id: null },
  headers: [...headers].filter(([name]) => name !== 'date' && name !== 'x-request-id'),
})

/** Ids of the tenant that exist, and ids of the same kinds that do not. */
async function idsOf({ appId, companyId, serverKey, publishableKey }: Tenant): Promise<Ids> {
  const { otpId } = await started(node, serverKey)
  const proven = await started(node, serverKey)
  const { body } = await verify(node, publishableKey, proven.otpId, proven.code)
  const { key_id } = (await node.manage('POST', `/apps/${appId}/keys`, { kind: 'server' })).body
  return {
    company_id: companyId,
    app_id: appId,
    key_id,
    otp_id: otpId,
    verification_token: body.verification_token,
  }
}
const unknownIds = (): Ids => ({
  company_id: newId('company', Date.now()),
  app_id: newId('app', Date.now()),
  key_id: newId('key', Date.now()),
  otp_id: newId('verification', Date.now()),
  verification_token: `otp_vt_${'7'.repeat(52)}`,
})
const malformedIds: Ids = {
  company_id: 'cmp_x',
  app_id: 'app_x',
  key_id: 'key_x',
  otp_id: 'otp_x',
  verification_token: 'otp_vt_x',
}

const takesId = (operation: Operation) => {
  return /\{\w+\}/.test(operation.path) || fieldsOf(operation.body).some((name) => name in malformedIds)
}

for (const [name, operation] of Object.entries<Operation>(operations)) {
  if (operation.access === 'public') continue
  test(`${name} refuses every caller but those it is for, all with one answer, and does nothing`, async () => {
    const presented = [
      'garbage',
      `${tenant.serverKey}0`,
      tenant.serverKey.slice(0, -1),
      `${tenant.serverKey.slice(0, -40)}${'0'.repeat(40)}`,
      tenant.serverKey.toUpperCase(),
      tenant.serverKey.replace('otp_sk_', 'otp_pk_'),
      tenant.publishableKey.replace('otp_pk_', 'otp_sk_'),
      revokedKey,
      ...(isKeyed(operation) ? [adminToken] : [tenant.serverKey, tenant.publishableKey]),
      ...(operation.access === 'server_key' ? [tenant.publishableKey] : []),
      ...(isKeyed(operation) ? [] : [`${adminToken}0`, adminToken.slice(0, -1)]),
    ]
    const unreadable = [
      null,
      '',
      'Bearer',
      'Bearer ',
      tenant.serverKey,
      `Basic ${tenant.serverKey}`,
      `Bearer ${tenant.serverKey} ${tenant.serverKey}`,
    ]
    for (const group of [presented.map((token) => `Bearer ${token}`), unreadable]) {
      const answers = []
      for (const authorization of group) answers.push(seen(await call(operation, ids, authorization)))
      for (const [index, answer] of answers.entries()) {
        assert.equal(answer.status, 401, `${group[index]}`)
        assert.equal(answer.body.error.type, 'HTTPException')
        assert.deepEqual(answer.body.error.details, {})
        assert.deepEqual(answer, answers[0], `${group[index]}`)
      }
    }
    assert.deepEqual(await lastingRows(database), held)
  })

  if (isKeyed(operation) && takesId(operation)) {
    test(`${name} tells a stranger exactly what it tells about an id that does not exist`, async () => {
      const keys = [stranger.serverKey, sister.serverKey]
      if (operation.access === 'key') keys.push(stranger.publishableKey, sister.publishableKey)
      for (const key of keys) {
        const unknown = seen(await call(operation, unknownIds(), `Bearer ${key}`))
        assert.equal(unknown.status, 404)
        assert.deepEqual(seen(await call(operation, ids, `Bearer ${key}`)), unknown)
        assert.deepEqual(seen(await call(operation, malformedIds, `Bearer ${key}`)), unknown)
      }
      assert.deepEqual(await lastingRows(database), held)
    })
  }
}
