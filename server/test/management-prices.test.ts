/** The price book, as the operator handles it. */
import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { createTestDatabase } from './harness/database.ts'
import { createTenant, freshPhone } from './harness/fixtures.ts'
import { startNode } from './harness/node.ts'
import { assertInvalid, startManaging } from './management-support.ts'

const { node, close } = await startManaging()
after(close)

describe('management', () => {
  describe('the price book', () => {
    const book = {
      currency: 'EUR',
      default: { sms: '0.05', whatsapp: '0.02', telegram: '0.01', email: '0.001', whatsapp_reply: '0' },
      countries: {},
    }

    it('that is shipped prices all four channels, and a reply in a chat at nothing', async () => {
      // Another test of this file may have changed the price book; a new database has the original one.
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
})
