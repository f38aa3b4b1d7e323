/** Companies, keys, and what does not exist, as the operator handles them. */
import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { createKey, createTenant, freshPhone, send } from './harness/fixtures.ts'
import { adminToken } from './harness/node.ts'
import { assertInvalid, startManaging, unknown } from './management-support.ts'

const { database, node, openCompany, balanceOf, ledgerOf, close } = await startManaging()
after(close)

describe('management', () => {
  describe('a company', () => {
    it('starts with nothing, metered, and is found again as it was answered', async () => {
      const made = await node.manage('POST', '/companies', { name: '  Acme Ltd  ' })
      assert.equal(made.status, 201)
      assert.deepEqual(Object.keys(made.body).sort(), [
        'balance',
        'closed_at',
        'company_id',
        'created_at',
        'metered',
        'name',
      ])
      assert.match(made.body.company_id, /^cmp_[0-9a-z]{26}$/)
      assert.equal(made.body.name, 'Acme Ltd')
      assert.equal(made.body.balance, '0.000000')
      assert.equal(made.body.metered, true)
      assert.deepEqual((await node.manage('GET', `/companies/${made.body.company_id}`)).body, made.body)
      assert.deepEqual(await ledgerOf(made.body.company_id), { entries: [], next_cursor: null })
    })

    for (const [text, balance] of [
      ['0', '0.000000'],
      ['100', '100.000000'],
      ['100.00', '100.000000'],
      ['0.000001', '0.000001'],
      ['12.3456', '12.345600'],
      ['007.5', '7.500000'],
      ['999999999999.999999', '999999999999.999999'],
    ] as const) {
      it(`opens with a balance of ${text}, which is an entry of the ledger`, async () => {
        const companyId = await openCompany({ balance: text })
        assert.equal(await balanceOf(companyId), balance)
        const { entries } = await ledgerOf(companyId)
        assert.deepEqual(
          entries.map(({ kind, amount }) => [kind, amount]),
          text === '0' ? [] : [['credit', balance]],
        )
      })
    }

    for (const balance of [
      '-1',
      '-0',
      '1.',
      '.5',
      '1e3',
      '+1',
      ' 1',
      '1,5',
      '0x10',
      '1.0000001',
      '1000000000000',
      'NaN',
      'Infinity',
      '',
      '１',
      5,
      ['1'],
      true,
    ]) {
      it(`does not open with a balance of ${JSON.stringify(balance)}`, async () => {
        assertInvalid(await node.manage('POST', '/companies', { name: 'Acme', balance }), 'balance')
      })
    }

    it('opens as if a field that it may leave out were not there, where that is null', async () => {
      const made = await node.manage('POST', '/companies', { name: 'Acme', balance: null, metered: null })
      assert.deepEqual([made.status, made.body.balance, made.body.metered], [201, '0.000000', true])
    })

    it('does not open with a name that is none, or fields that it has not', async () => {
      for (const name of [undefined, '', '   ', 'x'.repeat(101), 5, null]) {
        assertInvalid(await node.manage('POST', '/companies', { name }), 'name')
      }
      assertInvalid(await node.manage('POST', '/companies', { name: 'x', metered: 'no' }), 'metered')
      assertInvalid(await node.manage('POST', '/companies', { name: 'x', currency: 'EUR' }), 'currency')
    })

    it('that is not metered sends without a balance and without entries', async () => {
      const tenant = await createTenant(node, {}, { metered: false, balance: '0' })
      assert.equal((await send(node, tenant.serverKey, { recipient: freshPhone() })).status, 200)
      assert.equal(await balanceOf(tenant.companyId), '0.000000')
      assert.deepEqual((await ledgerOf(tenant.companyId)).entries, [])
    })

    it('refuses a NUL in a name or a note, which PostgreSQL cannot hold', async () => {
      const tenant = await createTenant(node)
      assertInvalid(await node.manage('POST', '/companies', { name: 'a\0b' }), 'name')
      assertInvalid(
        await node.manage('POST', `/companies/${tenant.companyId}/credits`, { amount: '1', note: 'a\0b' }),
        'note',
      )
      assertInvalid(
        await node.manage('POST', `/apps/${tenant.appId}/keys`, { kind: 'server', name: 'a\0b' }),
        'name',
      )
      assertInvalid(await node.manage('GET', `/companies/${tenant.companyId}/ledger?cursor=%00`), 'cursor')
    })
  })

  describe('a key', () => {
    it('is shown once, and lists know neither it nor its hash', async () => {
      const { appId } = await createTenant(node)
      const made = await node.manage('POST', `/apps/${appId}/keys`, { kind: 'server', name: ' CI ' })
      assert.equal(made.status, 201)
      assert.deepEqual(Object.keys(made.body).sort(), ['key', 'key_id', 'kind', 'name'])
      assert.match(made.body.key, /^otp_sk_[0-9a-z]{66}$/)
      assert.equal(made.body.name, 'CI')
      const list = await node.manage('GET', `/apps/${appId}/keys`)
      const listed = list.body.keys.find((key: { key_id: string }) => key.key_id === made.body.key_id)
      assert.deepEqual(Object.keys(listed).sort(), [
        'calls_24h',
        'created_at',
        'ends_with',
        'errors_24h',
        'key_id',
        'kind',
        'last_used_at',
        'name',
        'revoked_at',
        'starts_with',
      ])
      assert.equal(listed.ends_with, made.body.key.slice(-4))
      assert.equal(listed.revoked_at, null)
      assert.ok(!JSON.stringify(list.body).includes(made.body.key.slice(-40)))
    })

    it('is in the database only as a hash', async () => {
      const { appId } = await createTenant(node)
      const key = await createKey(node, appId, 'publishable')
      assert.match(key, /^otp_pk_/)
      const rows = await database.query<{ row: string }>(
        'select keys::text as row from keys where app_id = $1',
        [appId],
      )
      for (const { row } of rows) assert.ok(!row.includes(key.slice(-40)))
    })

    it('is of a documented kind and name', async () => {
      const { appId } = await createTenant(node)
      const make = (body: unknown) => node.manage('POST', `/apps/${appId}/keys`, body)
      for (const kind of ['admin', 'Server', '', null, undefined]) assertInvalid(await make({ kind }), 'kind')
      for (const name of ['', '  ', 'x'.repeat(61), 5])
        assertInvalid(await make({ kind: 'server', name }), 'name')
      assertInvalid(await make({ kind: 'server', key: 'otp_sk_mine' }), 'key')
    })

    it('that is revoked stops at once, is listed as revoked, and can be revoked again to the same effect', async () => {
      const { appId, serverKey } = await createTenant(node)
      const made = await node.manage('POST', `/apps/${appId}/keys`, { kind: 'server' })
      assert.equal((await send(node, made.body.key, { recipient: freshPhone() })).status, 200)
      const first = await node.manage('DELETE', `/keys/${made.body.key_id}`)
      assert.equal(first.status, 200)
      assert.deepEqual(Object.keys(first.body).sort(), ['key_id', 'revoked_at'])
      assert.equal((await send(node, made.body.key, { recipient: freshPhone() })).status, 401)
      const second = await node.manage('DELETE', `/keys/${made.body.key_id}`)
      assert.deepEqual([second.status, second.body], [first.status, first.body])
      const list = (await node.manage('GET', `/apps/${appId}/keys`)).body.keys
      const listed = list.find((key: { key_id: string }) => key.key_id === made.body.key_id)
      assert.equal(listed.revoked_at, first.body.revoked_at)
      assert.equal((await send(node, serverKey, { recipient: freshPhone() })).status, 200)
    })
  })

  describe('what does not exist', () => {
    const calls: readonly [
      method: string,
      path: (id: string) => string,
      kind: keyof typeof unknown,
      body?: unknown,
    ][] = [
      ['GET', (id) => `/companies/${id}`, 'company'],
      ['GET', (id) => `/companies/${id}/ledger`, 'company'],
      ['POST', (id) => `/companies/${id}/credits`, 'company', { amount: '1' }],
      ['POST', (id) => `/companies/${id}/erasures`, 'company', { recipient: '+447400123456' }],
      ['POST', (id) => `/companies/${id}/apps`, 'company', { name: 'Acme' }],
      ['GET', (id) => `/apps/${id}`, 'app'],
      ['PATCH', (id) => `/apps/${id}`, 'app', { code_length: 6 }],
      ['GET', (id) => `/apps/${id}/keys`, 'app'],
      ['POST', (id) => `/apps/${id}/keys`, 'app', { kind: 'server' }],
      ['DELETE', (id) => `/keys/${id}`, 'key'],
    ]
    for (const [method, path, kind, body] of calls) {
      it(`has one answer, whatever the id looks like: ${method} ${path('{id}')}`, async () => {
        const tenant = await createTenant(node)
        const others = [tenant.companyId, tenant.appId].filter(
          (id) => !id.startsWith(unknown[kind].slice(0, 3)),
        )
        const answers = []
        for (const id of [
          unknown[kind],
          'x',
          '%00',
          `${unknown[kind]}0`,
          unknown[kind].toUpperCase(),
          ...others,
        ]) {
          const answer = await node.manage(method, path(id), body)
          assert.equal(answer.status, 404, `${id}: ${JSON.stringify(answer.body)}`)
          assert.equal(answer.body.error.type, 'NotFoundError')
          assert.deepEqual(answer.body.error.details, {})
          answers.push(answer.body.error.message)
        }
        assert.deepEqual(new Set(answers), new Set([`There is no such ${kind}.`]))
      })
    }

    it('a wrong operator’s token has one answer, whatever it looks like', async () => {
      const wrong = ['x', adminToken.slice(0, -1), `${adminToken}x`, adminToken.toUpperCase(), 'otp_sk_x']
      const messages = new Set<string>()
      for (const key of wrong) {
        const answer = await node.call('GET', '/manage/v1/prices', { key })
        assert.equal(answer.status, 401)
        assert.equal(answer.body.error.type, 'HTTPException')
        messages.add(answer.body.error.message)
      }
      assert.equal(messages.size, 1)
      assert.equal((await node.call('GET', '/manage/v1/prices')).status, 401)
      assert.equal((await node.call('GET', '/manage/v1/prices', { key: adminToken })).status, 200)
    })
  })
})
