/** Companies, money, apps, keys, prices and erasure, as the operator handles them. */
import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { createTestDatabase } from './harness/database.ts'
import {
  createApp,
  createKey,
  createTenant,
  freshEmail,
  freshPhone,
  message,
  send,
  started,
  status,
  until,
  verify,
} from './harness/fixtures.ts'
import { type Answer, adminToken, startNode } from './harness/node.ts'
import { startService } from './harness/service.ts'

const unknown = {
  company: 'cmp_01kxxxxxxx0000000000000000',
  app: 'app_01kxxxxxxx0000000000000000',
  key: 'key_01kxxxxxxx0000000000000000',
}

interface Entry {
  readonly entry_id: string
  readonly kind: string
  readonly amount: string
  readonly otp_id: string | null
  readonly note: string | null
}

const micros = (amount: string) => BigInt(Math.round(Number(amount) * 1_000_000))

const { database, node, close } = await startService()
after(close)

describe('management', { timeout: 120_000 }, () => {
  const openCompany = async (body: Record<string, unknown> = {}): Promise<string> => {
    const made = await node.manage('POST', '/companies', { name: 'Acme', ...body })
    assert.equal(made.status, 201, JSON.stringify(made.body))
    return made.body.company_id
  }
  const balanceOf = async (companyId: string): Promise<string> =>
    (await node.manage('GET', `/companies/${companyId}`)).body.balance
  const ledgerOf = async (companyId: string, query = '') =>
    (await node.manage('GET', `/companies/${companyId}/ledger${query}`)).body as {
      entries: Entry[]
      next_cursor: string | null
    }

  function assertInvalid(answer: Answer, path: string): void {
    assert.equal(answer.status, 422, JSON.stringify(answer.body))
    assert.equal(answer.body.error.type, 'ValidationError')
    const paths: string[] = answer.body.error.details.fields.map((problem: { path: string }) => problem.path)
    assert.ok(paths.includes(path), `${paths}`)
  }

  describe('a company', () => {
    it('starts with nothing, metered, and is found again as it was answered', async () => {
      const made = await node.manage('POST', '/companies', { name: '  Acme Ltd  ' })
      assert.equal(made.status, 201)
      assert.deepEqual(Object.keys(made.body).sort(), [
        'balance',
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
      null,
      ['1'],
      true,
    ]) {
      it(`does not open with a balance of ${JSON.stringify(balance)}`, async () => {
        assertInvalid(await node.manage('POST', '/companies', { name: 'Acme', balance }), 'balance')
      })
    }

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

  describe('a credit', () => {
    it('adds to the balance and answers it', async () => {
      const companyId = await openCompany({ balance: '1' })
      const answer = await node.manage('POST', `/companies/${companyId}/credits`, {
        amount: '0.000001',
        note: 'top-up',
      })
      assert.equal(answer.status, 201)
      assert.deepEqual(answer.body, { balance: '1.000001' })
      const { entries } = await ledgerOf(companyId)
      assert.deepEqual(
        entries.map(({ kind, amount, note }) => ({ kind, amount, note })),
        [
          { kind: 'credit', amount: '0.000001', note: 'top-up' },
          { kind: 'credit', amount: '1.000000', note: 'opening balance' },
        ],
      )
    })

    it('is more than nothing, and of the documented form', async () => {
      const companyId = await openCompany()
      for (const amount of ['0', '0.000000', '-1', '-0.5', '1.0000001', '1e3', '', 'x', 1, null, undefined]) {
        assertInvalid(await node.manage('POST', `/companies/${companyId}/credits`, { amount }), 'amount')
      }
      assertInvalid(
        await node.manage('POST', `/companies/${companyId}/credits`, { amount: '1', note: 'x'.repeat(201) }),
        'note',
      )
      assertInvalid(
        await node.manage('POST', `/companies/${companyId}/credits`, { amount: '1', balance: '5' }),
        'balance',
      )
      assert.equal(await balanceOf(companyId), '0.000000')
      assert.deepEqual((await ledgerOf(companyId)).entries, [])
    })

    it('is not lost beside others that come at once', async () => {
      const companyId = await openCompany()
      const answers = await Promise.all(
        Array.from({ length: 40 }, () =>
          node.manage('POST', `/companies/${companyId}/credits`, { amount: '0.25' }),
        ),
      )
      for (const answer of answers) assert.equal(answer.status, 201)
      assert.equal(await balanceOf(companyId), '10.000000')
      assert.equal(new Set(answers.map(({ body }) => body.balance)).size, 40)
    })

    it('beyond what can be counted is refused, and what is there is kept', async () => {
      const companyId = await openCompany({ balance: '999999999999' })
      let last: Answer | undefined
      for (let count = 0; count < 12; count++) {
        last = await node.manage('POST', `/companies/${companyId}/credits`, { amount: '999999999999' })
        assert.ok(last.status < 500, JSON.stringify(last.body))
        assert.match(await balanceOf(companyId), /^\d{1,12}\.\d{6}$/)
      }
    })
  })

  describe('the ledger', () => {
    it('is read page by page, newest first, without a gap or a double', async () => {
      const companyId = await openCompany()
      for (let count = 1; count <= 23; count++) {
        await node.manage('POST', `/companies/${companyId}/credits`, {
          amount: String(count),
          note: String(count),
        })
      }
      for (const limit of [1, 5, 22, 23, 24, 200]) {
        const seen: Entry[] = []
        let cursor: string | null = null
        let pages = 0
        do {
          const page = await ledgerOf(companyId, `?limit=${limit}${cursor ? `&cursor=${cursor}` : ''}`)
          assert.ok(page.entries.length <= limit)
          seen.push(...page.entries)
          cursor = page.next_cursor
          pages++
        } while (cursor !== null)
        assert.equal(pages, Math.ceil(23 / limit))
        assert.equal(new Set(seen.map((entry) => entry.entry_id)).size, 23)
        assert.deepEqual(
          seen.map((entry) => entry.entry_id),
          seen
            .map((entry) => entry.entry_id)
            .toSorted()
            .reverse(),
        )
      }
    })

    it('keeps its pages while entries are added', async () => {
      const companyId = await openCompany()
      for (let count = 0; count < 6; count++)
        await node.manage('POST', `/companies/${companyId}/credits`, { amount: '1' })
      const first = await ledgerOf(companyId, '?limit=3')
      await node.manage('POST', `/companies/${companyId}/credits`, { amount: '2' })
      const second = await ledgerOf(companyId, `?limit=3&cursor=${first.next_cursor}`)
      assert.equal(second.next_cursor, null)
      assert.equal(new Set([...first.entries, ...second.entries].map((entry) => entry.entry_id)).size, 6)
      assert.ok(second.entries.every((entry) => entry.amount === '1.000000'))
    })

    it('adds up to the balance, with reservations, captures and returns', async () => {
      const tenant = await createTenant(node, {}, { balance: '1' })
      const recipient = freshPhone()
      const failing = freshPhone()
      node.capture.answerWith((outgoing) =>
        outgoing.recipient === failing
          ? { kind: 'refused', error: { code: 'no', message: 'No.' } }
          : { kind: 'accepted', messageId: 'm' },
      )
      const sent = await send(node, tenant.serverKey, { recipient })
      const failed = await send(node, tenant.serverKey, { recipient: failing })
      const settled = async (otpId: string, wanted: string) =>
        (await status(node, tenant.serverKey, otpId)).body.deliveries[0].status === wanted
      await until('the captures', () => settled(sent.body.otp_id, 'sent'))
      await until('the return', () => settled(failed.body.otp_id, 'failed'))
      node.capture.answerWith(null)
      const { entries } = await ledgerOf(tenant.companyId)
      const kindsOf = (otpId: string) =>
        entries.filter((entry) => entry.otp_id === otpId).map(({ kind, amount }) => `${kind} ${amount}`)
      assert.deepEqual(kindsOf(sent.body.otp_id).sort(), ['capture 0.000000', 'reserve -0.050000'])
      assert.deepEqual(kindsOf(failed.body.otp_id).sort(), ['reserve -0.050000', 'return 0.050000'])
      const sum = entries.reduce((total, entry) => total + micros(entry.amount), 0n)
      assert.equal(sum, micros(await balanceOf(tenant.companyId)))
      assert.equal(await balanceOf(tenant.companyId), '0.950000')
    })

    it('shows nothing of another company', async () => {
      const [first, second] = [await openCompany({ balance: '1' }), await openCompany({ balance: '2' })]
      assert.deepEqual(
        (await ledgerOf(first)).entries.map((entry) => entry.amount),
        ['1.000000'],
      )
      const foreign = (await ledgerOf(second)).entries[0]?.entry_id
      assert.ok(
        (await ledgerOf(first, `?cursor=${foreign}`)).entries.every((entry) => entry.amount === '1.000000'),
      )
    })

    it('refuses what is no page', async () => {
      const companyId = await openCompany()
      const ask = (query: string) => node.manage('GET', `/companies/${companyId}/ledger?${query}`)
      for (const limit of ['0', '-1', '201', '1.5', 'x', '', 'NaN'])
        assertInvalid(await ask(`limit=${limit}`), 'limit')
      assertInvalid(await ask('limit=1&limit=2'), 'limit')
      assertInvalid(await ask(`cursor=${'x'.repeat(65)}`), 'cursor')
      assertInvalid(await ask('cursor=a&cursor=b'), 'cursor')
      assertInvalid(await ask('page=2'), 'page')
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
        'created_at',
        'key_id',
        'kind',
        'last_used_at',
        'name',
        'revoked_at',
      ])
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

  describe('the price book', () => {
    const book = {
      currency: 'EUR',
      default: { sms: '0.05', whatsapp: '0.02', telegram: '0.01', email: '0.001', whatsapp_reply: '0' },
      countries: {},
    }

    it('that is shipped prices all four channels, and a reply in a chat at nothing', async () => {
      // Another test of this file may have put its own book in; what is shipped is that of a new database.
      const fresh = await createTestDatabase()
      const other = await startNode(fresh.url)
      try {
        const { body } = await other.manage('GET', '/prices')
        for (const channel of ['sms', 'whatsapp', 'telegram', 'email'])
          assert.ok(Number(body.default[channel]) > 0, channel)
        assert.equal(Number(body.default.whatsapp_reply), 0)
        assert.match(body.currency, /^[A-Z]{3}$/)
      } finally {
        await other.close()
        await fresh.close()
      }
    })

    it('can be replaced whole, is in force at once, and is read back as it was put', async () => {
      const changed = {
        ...book,
        countries: { GB: { sms: '0.04' }, BR: { whatsapp: '1', whatsapp_reply: '0.5' } },
      }
      const put = await node.manage('PUT', '/prices', changed)
      assert.equal(put.status, 200, JSON.stringify(put.body))
      assert.deepEqual(put.body, changed)
      assert.deepEqual((await node.manage('GET', '/prices')).body, changed)
      const tenant = await createTenant(node)
      const preview = (recipient: string) =>
        node.call('POST', '/api/v1/routing/preview', { key: tenant.serverKey, body: { recipient } })
      assert.equal((await preview(freshPhone())).body.price, '0.040000')
      assert.equal((await preview('+33612345678')).body.price, '0.050000')
      assert.deepEqual((await node.manage('PUT', '/prices', book)).body, book)
      assert.equal((await preview(freshPhone())).body.price, '0.050000')
    })

    it('has a reply for nothing where none is given', async () => {
      const { whatsapp_reply: _, ...four } = book.default
      const put = await node.manage('PUT', '/prices', { currency: 'EUR', default: four })
      assert.deepEqual(put.body, book)
    })

    const wrong: readonly [name: string, body: Record<string, unknown>, path: string][] = [
      ['no currency', { default: book.default }, 'currency'],
      ['a currency in small letters', { ...book, currency: 'eur' }, 'currency'],
      [
        'a channel without a price',
        { ...book, default: { sms: '1', whatsapp: '1', telegram: '1' } },
        'default.email',
      ],
      ['a negative price', { ...book, default: { ...book.default, sms: '-1' } }, 'default.sms'],
      ['a price as a number', { ...book, default: { ...book.default, sms: 0.05 } }, 'default.sms'],
      ['too many decimals', { ...book, default: { ...book.default, sms: '0.0000001' } }, 'default.sms'],
      ['an unknown channel', { ...book, default: { ...book.default, fax: '1' } }, 'default.fax'],
      ['an unknown channel of a country', { ...book, countries: { GB: { fax: '1' } } }, 'countries.GB.fax'],
      ['an unknown country', { ...book, countries: { ZZ: { sms: '1' } } }, 'countries.ZZ'],
      ['a negative price of a country', { ...book, countries: { GB: { sms: '-1' } } }, 'countries.GB.sms'],
      ['an unknown field', { ...book, vat: '20' }, 'vat'],
    ]
    for (const [name, body, path] of wrong) {
      it(`with ${name} is a 422 that names ${path}`, async () => {
        const before = (await node.manage('GET', '/prices')).body
        assertInvalid(await node.manage('PUT', '/prices', body), path)
        assert.deepEqual((await node.manage('GET', '/prices')).body, before)
      })
    }
  })

  describe('an erasure', () => {
    const erase = (companyId: string, recipient: unknown) =>
      node.manage('POST', `/companies/${companyId}/erasures`, { recipient })
    const exchange = (key: string, token: string) =>
      node.call('POST', '/api/v1/verifications/exchange', { key, body: { verification_token: token } })
    const approve = async (key: string, recipient: string) => {
      const earlier = node.capture.to(recipient).length
      const sent = await send(node, key, { recipient })
      const { code } = await message(node, recipient, earlier)
      const otpId: string = sent.body.otp_id
      const { body } = await verify(node, key, otpId, code)
      assert.equal(body.status, 'approved')
      return { otpId, token: body.verification_token as string }
    }

    it('takes the recipient out of every row, in all apps of the company', async () => {
      const tenant = await createTenant(node)
      const second = await createApp(node, tenant.companyId)
      const recipient = freshPhone()
      await started(node, tenant.serverKey, recipient, { client_ip: '8.8.8.8' })
      await started(node, second.serverKey, recipient)
      await send(node, tenant.serverKey, { recipient }, { 'idempotency-key': recipient })
      const answer = await erase(tenant.companyId, recipient)
      assert.equal(answer.status, 200)
      assert.deepEqual(answer.body, { verifications: 3 })
      const rows = await database.query<Record<string, unknown>>(
        'select recipient, recipient_hash, masked_recipient, client_ip, ip_key from verifications where company_id = $1',
        [tenant.companyId],
      )
      assert.equal(rows.length, 3)
      for (const row of rows) {
        assert.deepEqual(row, {
          recipient: null,
          recipient_hash: null,
          masked_recipient: '****',
          client_ip: null,
          ip_key: null,
        })
      }
      const replays = await database.query('select 1 from idempotency_keys where company_id = $1', [
        tenant.companyId,
      ])
      assert.equal(replays.length, 0)
      assert.deepEqual((await erase(tenant.companyId, recipient)).body, { verifications: 0 })
    })

    it('makes a token that proved the recipient worthless, before and after its exchange', async () => {
      const tenant = await createTenant(node)
      const recipient = freshPhone()
      const fresh = await approve(tenant.publishableKey, recipient)
      const used = await approve(tenant.publishableKey, recipient)
      assert.equal((await exchange(tenant.serverKey, used.token)).body.recipient, recipient)
      await erase(tenant.companyId, recipient)
      for (const { token } of [fresh, used]) {
        const answer = await exchange(tenant.serverKey, token)
        assert.equal(answer.status, 404)
        assert.ok(!JSON.stringify(answer.body).includes(recipient))
      }
    })

    it('stops what is on its way, and returns its price', async () => {
      const tenant = await createTenant(node, {}, { balance: '1' })
      const recipient = freshPhone()
      node.capture.answerWith((outgoing) =>
        outgoing.recipient === recipient
          ? { kind: 'retry', error: { code: 'busy', message: 'Busy.' }, afterSeconds: null }
          : { kind: 'accepted', messageId: 'm' },
      )
      const { body } = await send(node, tenant.serverKey, { recipient })
      const deliveryOf = async () => (await status(node, tenant.serverKey, body.otp_id)).body.deliveries[0]
      await until('a first attempt', async () => (await deliveryOf()).error?.code === 'busy')
      await erase(tenant.companyId, recipient)
      node.capture.answerWith(null)
      const failed = await until('the delivery to be stopped', async () => {
        const delivery = await deliveryOf()
        return delivery.status === 'failed' && delivery
      })
      assert.ok(!JSON.stringify(failed).includes(recipient))
      assert.deepEqual(node.capture.to(recipient), [])
      assert.equal(await balanceOf(tenant.companyId), '1.000000')
    })

    it('ends a pending verification: its code is no longer taken, and it cannot be sent again', async () => {
      const tenant = await createTenant(node)
      const { otpId, code, recipient } = await started(node, tenant.serverKey)
      await erase(tenant.companyId, recipient)
      assert.equal(
        (await verify(node, tenant.serverKey, otpId, code)).body.error.details.otp_status,
        'expired',
      )
      const again = await node.call('POST', '/api/v1/otp/resend', {
        key: tenant.serverKey,
        body: { otp_id: otpId },
      })
      assert.equal(again.status, 409)
      const seen = await status(node, tenant.serverKey, otpId)
      assert.equal(seen.body.masked_recipient, '****')
      assert.equal(seen.body.status, 'expired')
    })

    it('forgets that a channel could not reach the person', async () => {
      const tenant = await createTenant(node, { routing: { default: ['whatsapp', 'sms'] } })
      const recipient = freshPhone()
      node.capture.answerWith((outgoing, channel) =>
        outgoing.recipient === recipient && channel === 'whatsapp'
          ? { kind: 'unreachable', error: { code: 'none', message: 'Not there.' } }
          : { kind: 'accepted', messageId: 'm' },
      )
      const first = await send(node, tenant.serverKey, { recipient })
      await until(
        'the failure',
        async () =>
          (await status(node, tenant.serverKey, first.body.otp_id)).body.deliveries[0].status === 'failed',
      )
      assert.equal((await send(node, tenant.serverKey, { recipient })).body.channel, 'sms')
      await erase(tenant.companyId, recipient)
      assert.equal((await send(node, tenant.serverKey, { recipient })).body.channel, 'whatsapp')
      node.capture.answerWith(null)
    })

    it('leaves other people and other companies alone', async () => {
      const [tenant, other] = [await createTenant(node), await createTenant(node)]
      const [erased, kept] = [freshPhone(), freshPhone()]
      await approve(tenant.publishableKey, erased)
      const neighbour = await approve(tenant.publishableKey, kept)
      const elsewhere = await approve(other.publishableKey, erased)
      assert.deepEqual((await erase(tenant.companyId, erased)).body, { verifications: 1 })
      assert.equal((await exchange(tenant.serverKey, neighbour.token)).body.recipient, kept)
      assert.equal((await exchange(other.serverKey, elsewhere.token)).body.recipient, erased)
    })

    it('knows an email in any spelling of its box', async () => {
      const tenant = await createTenant(node)
      const recipient = freshEmail()
      await started(node, tenant.serverKey, recipient)
      assert.deepEqual((await erase(tenant.companyId, recipient.toUpperCase())).body, { verifications: 1 })
    })

    it('refuses what is no recipient', async () => {
      const companyId = await openCompany()
      for (const recipient of ['', 'nobody', '+1', '\0']) {
        const answer = await erase(companyId, recipient)
        assert.equal(answer.status, 422)
        assert.equal(answer.body.error.type, 'InvalidRecipientError')
      }
      for (const recipient of [undefined, null, 5])
        assertInvalid(await erase(companyId, recipient), 'recipient')
    })
  })
})
