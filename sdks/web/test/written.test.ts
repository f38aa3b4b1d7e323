import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readWritten } from '../../written.ts'
import { codeIn, createVerification } from '../src/index.ts'
import { digitsOf, localeOf, recipientOf } from '../src/written.ts'

test('a recipient and a code are read as people write them, and what cannot be read is passed on', async () => {
  const { recipients, codes } = await readWritten()
  for (const [written, read] of recipients) assert.equal(recipientOf(written), read, written)
  for (const [written, read] of codes) assert.equal(digitsOf(written), read, written)
})

test('a code is found in what is pasted, in every script; else the digits that there are', () => {
  for (const [written, read] of [
    ['482913', '482913'],
    ['482 913', '482913'],
    ['Shop24: 482-913 is your code, good for 10 minutes.', '482913'],
    ['Your code is 482913. Never tell it to 1234567', '482913'],
    ['@shop.example #482913', '482913'],
    ['٤٨٢٩١٣', '482913'],
    ['۴۸۲ ۹۱۳', '482913'],
    ['४८२९१३', '482913'],
    ['４８２９１３', '482913'],
    ['Shop24: \u2068482\u200b913\u2069 is your code.', '482913'],
    ['Shop24: 482\u2011913 is your code.', '482913'],
    ['\ufeff48\u206029\u00ad13', '482913'],
    ['482\u00a0913', '482913'],
    ['0 1 2 3 4 5', '012345'],
    ['48a2', '482'],
    ['4829137', '482913'],
    ['none', ''],
  ] as const) {
    assert.equal(codeIn(written, 6), read, written)
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
  for (const baseUrl of [
    undefined,
    null,
    '',
    'example.com',
    7,
    'https://',
    'https://a:b@example.com',
    'https://a.example\r',
  ]) {
    const options = { key: 'otp_pk_a', baseUrl } as unknown as Parameters<typeof createVerification>[0]
    assert.throws(() => createVerification(options), /baseUrl .*line break/)
  }
})
