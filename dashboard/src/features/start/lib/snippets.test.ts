import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { recipientInPrograms, recipientPlaceholder, snippets } from './snippets.ts'

const call = { baseUrl: 'http://localhost:3000', secret: 'otp_sk_1' }

describe('a call to paste', () => {
  it('comes in five languages, each with address, key, recipient, id and code', () => {
    assert.deepEqual(
      snippets.map(({ label }) => label),
      ['curl', 'Node', 'Python', 'Go', 'PHP'],
    )
    for (const { send, verify } of snippets) {
      for (const word of [call.baseUrl, call.secret, '+447400123456'])
        assert.ok(send(call, '+447400123456').includes(word), word)
      for (const word of [call.baseUrl, call.secret, 'otp_9', '123456'])
        assert.ok(verify(call, 'otp_9', '123456').includes(word), word)
    }
  })

  it('never has what ends a text of a program in it', () => {
    for (const kept of ['+447400123457', 'ada+x@example.com', 'jörg@example.de'])
      assert.equal(recipientInPrograms(kept), kept)
    for (const left of [
      null,
      `o'neil@example.com`,
      '"a b"@example.com',
      'a\\b@example.com',
      '$a@example.com',
    ])
      assert.equal(recipientInPrograms(left), recipientPlaceholder)
  })
})
