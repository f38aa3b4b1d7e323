import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { plainRecipient, snippets } from './snippets.ts'

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
    assert.equal(plainRecipient(`'"+44 7400\\\`$(123456)`), '+447400123456')
    assert.equal(plainRecipient(' ada+x@example.com '), 'ada+x@example.com')
    assert.equal(plainRecipient('"'), '+447400123456')
    assert.equal(plainRecipient('0044 (7400) 123-456'), '+447400123456')
  })
})
