import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Provider } from '../providers.ts'
import { HealthBook } from './book.ts'

const provider: Provider = {
  providerId: 'acc_1',
  kind: 'smpp',
  channel: 'sms',
  companyId: null,
  countries: null,
  priority: 0,
  whatsappNumber: null,
  revision: 1,
  account: { send: () => assert.fail(), close: async () => {} },
}
const accepted = { kind: 'accepted', messageId: null } as const
const broken = { kind: 'broken', error: { code: 'key', message: 'The key is wrong.' } } as const

describe('what could not be written of an account', () => {
  it('is written with what came since', () => {
    const book = new HealthBook()
    book.attempted(provider, accepted, 20)
    book.attempted(provider, broken, 5)
    book.received(provider, true, 300)
    const unwritten = book.take()
    assert.deepEqual(book.take(), [])
    book.attempted(provider, accepted, 40)
    book.attempted(provider, broken, 5)
    book.putBack(unwritten)
    const [noted, ...others] = book.take()
    assert.deepEqual(others, [])
    assert.deepEqual(
      [noted?.sent, noted?.acceptMs, noted?.failed, noted?.delivered, noted?.deliverMs],
      [2, 60, 2, 1, 300],
    )
    assert.deepEqual(noted?.lastError, broken.error)
  })

  it('and ended in errors is forgotten if the account has answered since, and counts if it has not', () => {
    for (const [since, errors] of [
      [accepted, 0],
      [broken, 2],
    ] as const) {
      const book = new HealthBook()
      book.attempted(provider, broken, 5)
      const unwritten = book.take()
      book.attempted(provider, since, 5)
      book.putBack(unwritten)
      assert.deepEqual(
        book.take().map((noted) => [noted.errors, noted.isBroken]),
        [[errors, errors > 0]],
      )
    }
  })

  it('is left out once the account is set up in another way', () => {
    const book = new HealthBook()
    book.attempted(provider, broken, 5)
    book.attempted({ ...provider, revision: 2 }, accepted, 20)
    assert.deepEqual(
      book.take().map(({ revision, errors, sent }) => [revision, errors, sent]),
      [[2, 0, 1]],
    )
  })
})
