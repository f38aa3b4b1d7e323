import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createVerification } from '../src/index.ts'
import { localeOf, recipientOf } from '../src/written.ts'

test('a recipient is read as people write it, and what cannot be read is passed on', () => {
  for (const [written, read] of [
    ['+447400123456', '+447400123456'],
    ['+44 7400 123456', '+447400123456'],
    [' +44 (7400) 123-456\n', '+447400123456'],
    ['+44\u00a07400\u2011123\u2009456', '+447400123456'],
    ['\u200e+44.7400.123456', '+447400123456'],
    [' ada@example.com ', 'ada@example.com'],
    ['ada lovelace@example.com', 'ada lovelace@example.com'],
    ['07400 123456', '07400 123456'],
    ['+44 call me', '+44 call me'],
    ['', ''],
  ] as const) {
    assert.equal(recipientOf(written), read, written)
  }
})

test('a locale is read as devices say it, and one that names no language is left to the app', () => {
  for (const [written, read] of [
    ['en', 'en'],
    ['pt-BR', 'pt-BR'],
    ['en_US', 'en-US'],
    ['en-US@posix', 'en-US'],
    ['en_US.UTF-8', 'en-US'],
    ['de_DE@euro', 'de-DE'],
    ['zh_Hant_TW', 'zh-Hant-TW'],
    ['C', undefined],
    ['POSIX', undefined],
    ['C.UTF-8', undefined],
    ['', undefined],
    [undefined, undefined],
  ] as const) {
    assert.equal(localeOf(written), read, written)
  }
})

test('an address that is missing is refused before anything is sent', () => {
  for (const baseUrl of [undefined, null, '', 'example.com', 7]) {
    const options = { key: 'otp_pk_a', baseUrl } as unknown as Parameters<typeof createVerification>[0]
    assert.throws(() => createVerification(options), /baseUrl/)
  }
})
