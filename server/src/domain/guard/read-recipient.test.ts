import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { readRecipient } from './read-recipient.ts'

const mobile = '+447911123456'

/** A recipient as people write it, the country that they may name with it, and whom they mean. */
const written: readonly (readonly [text: string, country: string | null, meant: string])[] = [
  ['+447911123456', null, mobile],
  ['+44 7911 123456', null, mobile],
  ['+44 (0)7911 123456', null, mobile],
  ['0044 (0) 7911-123456', null, mobile],
  ['0044 7911 123456', null, mobile],
  ['447911123456', null, mobile],
  ['44 7911 123 456', 'GB', mobile],
  ['07911 123456', 'GB', mobile],
  ['(07911) 123-456', 'GB', mobile],
  ['7911 123456', 'GB', mobile],
  ['07911.123.456', 'GB', mobile],
  ['tel:+44-7911-123456', null, mobile],
  ['＋４４ ７９１１ １２３４５６', null, mobile],
  ['+٤٤ ٧٩١١ ١٢٣٤٥٦', null, mobile],
  ['\u200e+44\u00a07911\u2011123\u2009456\u200f', null, mobile],
  ['  +44–7911–123456\n', null, mobile],
  ['+44 7911 123456', 'FR', mobile],
  ['447911123456', 'US', mobile],
  ['011 44 7911 123456', 'US', mobile],
  ['(201) 555-0123', 'US', '+12015550123'],
  ['+1 (201) 555-0123', null, '+12015550123'],
  ['06 12 34 56 78', 'FR', '+33612345678'],
  // Jersey is dialled as Britain is, but is a country of its own.
  ['07797 712345', 'GB', '+447797712345'],
  ['+55 11 8765-4321', null, '+5511987654321'],
  ['Somebody@Example.COM', null, 'somebody@example.com'],
  [' somebody@example.com\u200b', null, 'somebody@example.com'],
  ['mailto:somebody@example.com', null, 'somebody@example.com'],
  ['SOME.BODY+shop@googlemail.com', null, 'somebody@gmail.com'],
]

describe('somebody who is looked for', () => {
  for (const [text, country, meant] of written) {
    it(`is found as ${JSON.stringify(text)}${country ? ` in ${country}` : ''}`, () => {
      assert.equal(readRecipient(text, country)?.canonical, meant)
    })
  }

  for (const [text, country] of [
    ['', null],
    ['07911 123456', null],
    ['+447911123456x', null],
    ['seven', 'GB'],
    ['+', null],
    ['00', 'GB'],
    ['12', 'GB'],
    ['@', null],
    ['Somebody <somebody@example.com>', null],
    ['1'.repeat(320), 'GB'],
  ] as const) {
    it(`is nobody as ${JSON.stringify(text.slice(0, 40))}${country ? ` in ${country}` : ''}`, () => {
      assert.equal(readRecipient(text, country), null)
    })
  }
})
