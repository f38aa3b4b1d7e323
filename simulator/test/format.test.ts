/** What the phones page computes without a browser. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { recipientKey } from '../src/recipient.ts'

const page = await import(new URL('../src/page/format.js', import.meta.url).href)

test('the page and the simulator have one key for all spellings of a recipient', () => {
  for (const [written, key] of [
    ['+447400123456', '+447400123456'],
    ['Ada@Example.com', 'ada@example.com'],
    ['a@bücher.example', 'a@xn--bcher-kva.example'],
    ['a@BÜCHER.example', 'a@xn--bcher-kva.example'],
    ['a@XN--BCHER-KVA.example', 'a@xn--bcher-kva.example'],
    ['a@[127.0.0.1]', 'a@[127.0.0.1]'],
    ['a@not_a host', 'a@not_a host'],
    ['*', '*'],
  ] as const) {
    assert.equal(recipientKey(written), key)
    assert.equal(page.recipientKey(written), key)
  }
})

test('an address of the page with a stray % is read as it stands', () => {
  for (const [hash, text] of [
    ['', ''],
    ['#a%40b.example', 'a@b.example'],
    ['#%', '%'],
    ['#50%+447400123456', '50%+447400123456'],
  ] as const)
    assert.equal(page.parseFragment(hash), text)
})
