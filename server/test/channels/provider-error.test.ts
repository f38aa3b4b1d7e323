import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { providerError } from '../../src/channels/provider-error.ts'

describe('provider error', () => {
  it('keeps no phone number, however it is written', () => {
    for (const number of [
      '+14155550123',
      '14155550123',
      '+1 (415) 555-0123',
      '415.555.0123',
      '+39 123 456 7890',
      '+1 - 415 - 555 - 0123',
      '0171/555 01 23 45',
      '+1_415_555_0123',
      '1,415,555,0123',
      '415\u2011555\u20110123',
      '+33\u202f6\u202f12\u202f34\u202f56\u202f78',
      '4\u200b1\u200b5\u200b5\u200b5\u200b5\u200b0\u200b1\u200b2\u200b3',
      '\u202a+1 415 555 0123\u202c',
      '\uff0b\uff11\uff14\uff11\uff15\uff15\uff15\uff15\uff10\uff11\uff12\uff13',
      '٠١٢٣٤٥٦٧٨٩',
      '+٩٦٦ ٥٠ ١٢٣ ٤٥٦٧',
      '०९८ ७६५ ४३२ १०',
      '𝟏𝟒𝟏𝟓𝟓𝟓𝟓𝟎𝟏𝟐𝟑',
    ]) {
      const { message } = providerError(21211, `The 'To' number ${number} is not valid.`)
      assert.doesNotMatch(message, /\p{Nd}/u, number)
      assert.match(message, /is not valid\.$/)
    }
  })

  it('keeps a code only where it is a code, never a number, an address or what no database takes', () => {
    for (const code of ['30006', 21211, '5.1.1', 'FLOOD_WAIT_3', '0x00000045', 'UND_ERR_SOCKET'])
      assert.equal(providerError(code, '').code, String(code))
    for (const code of [
      '+447400123456',
      447400123456,
      '447.400.123456',
      '44-7400-123456',
      'to_447400_123456',
      'a@mail.example',
      '30\u0000006',
      'x'.repeat(65),
      '',
    ])
      assert.equal(providerError(code, '').code, 'unknown_error')
  })

  it('keeps no email address', () => {
    assert.equal(
      providerError('5.1.1', '550 5.1.1 <some.one+x@mail.example>: user unknown').message,
      '550 5.1.1 <[address]>: user unknown',
    )
  })

  it('keeps no code and no credential', () => {
    const { message } = providerError(
      190,
      'Malformed access token EAAGm0PX4ZCpsBAKZCZAabcdef0123 in "4821 is your code"',
    )
    assert.equal(message, 'Malformed access token [token] in "[number] is your code"')
  })

  it('keeps no email address that is quoted, escaped or has an apostrophe', () => {
    for (const address of [
      "o'brien@mail.example",
      "'some.one@mail.example'",
      'some.one%40mail.example',
      'some.one\uff20mail.example',
      'some.one&#64mail.example',
      'some.one&#x40mail.example',
      'some.one\\u0040mail.example',
    ]) {
      const { message } = providerError('x', `Mailbox ${address} is full`)
      assert.equal(message, 'Mailbox [address] is full')
    }
  })

  it('keeps no code in other digits', () => {
    for (const code of ['٤٨٢١', '４８２１９３', '४८२१']) {
      const { message } = providerError('x', `refused: "${code} is your code"`)
      assert.equal(message, 'refused: "[number] is your code"')
    }
  })

  it('keeps what tells the reason, though it has numbers in it', () => {
    for (const text of [
      '550 5.1.1 user unknown',
      'Error 131: try in 60 s, 3 left (of 10)',
      'Prix dépassé – réessayez',
      '余额不足',
    ])
      assert.equal(providerError('x', text).message, text)
  })

  it('keeps no half of a number or an address where a long text is cut', () => {
    // Shown as one space: what is left before the cut would be within the characters that are kept.
    const gap = (count: number) => '\n'.repeat(count)
    for (const recipient of [
      '+1 (415) 555-0123',
      'some.one@mail.example',
      '14155550123',
      '0171/555 01 23 45',
      '٠١٢٣ ٤٥٦ ٧٨٩',
    ]) {
      for (let cut = 0; cut <= recipient.length; cut++) {
        const { message } = providerError('x', `Not valid${gap(1_990 - cut)}${recipient}${gap(5_000)}`)
        assert.equal(message.replaceAll(/\[\w+\]/g, '').trim(), 'Not valid', `${recipient} cut at ${cut}`)
      }
    }
  })

  it('is at most 200 characters on one line', () => {
    const { message } = providerError('x', `a\r\nb ${'long '.repeat(100)}`)
    assert.equal(message.length, 200)
    assert.doesNotMatch(message, /[\r\n]/)
  })
})
