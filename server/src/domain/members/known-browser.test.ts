import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { it } from 'node:test'
import { Keyring } from '../../platform/keyring.ts'
import { isKnown, knownSeconds, makeKnown } from './known-browser.ts'

it('a browser is known for one address, however it is written, for half a year', () => {
  let nowMs = 1_000
  const keyring = new Keyring([{ id: 1, secret: randomBytes(32), activeFromMs: 0 }])
  const dependencies = { clock: { nowMs: () => nowMs }, keyring: () => keyring }
  const token = makeKnown(dependencies, 'ada@example.com')
  assert.ok(isKnown(dependencies, 'Ada@example.com', token))
  for (const other of [null, '', 'AAAA', randomBytes(80).toString('base64url')])
    assert.ok(!isKnown(dependencies, 'ada@example.com', other))
  assert.ok(!isKnown(dependencies, 'eve@example.com', token))
  nowMs += knownSeconds * 1000
  assert.ok(!isKnown(dependencies, 'ada@example.com', token))
})
