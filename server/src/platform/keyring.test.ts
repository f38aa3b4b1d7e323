import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { Keyring } from './keyring.ts'

const key = (id: number, activeFromMs: number) => ({ id, secret: Buffer.alloc(32, id), activeFromMs })

describe('a new data key', () => {
  it('is in use from its time on, and not a moment earlier: other nodes may not have it yet', () => {
    const keys = new Keyring([key(1, 0), key(2, 10_000), key(3, 20_000)])
    assert.deepEqual(
      [9_999, 10_000, 19_999, 20_000].map((nowMs) => keys.current(nowMs)),
      [1, 2, 2, 3],
    )
  })

  it('opens nothing that another has sealed, and each is found by what it sealed', () => {
    const keys = new Keyring([key(1, 0), key(2, 0)])
    for (const id of [1, 2]) assert.equal(keys.open(keys.seal(id, 'said', 'here'), 'here'), 'said')
    const moved = keys.seal(1, 'said', 'here')
    moved.writeUInt16BE(2)
    assert.throws(() => keys.open(moved, 'here'))
    assert.throws(() => new Keyring([key(1, 0)]).open(keys.seal(2, 'said', 'here'), 'here'), /data key 2/)
  })
})

it('what is sealed is opened only whole, and only where it belongs', () => {
  const keys = new Keyring([key(1, 0)])
  const sealed = keys.seal(1, 'a secret', 'settings of one')
  assert.throws(() => keys.open(sealed, 'settings of another'))
  for (const at of [2, 14, sealed.length - 1]) {
    const changed = Buffer.from(sealed)
    changed.writeUInt8(changed.readUInt8(at) ^ 1, at)
    assert.throws(() => keys.open(changed, 'settings of one'), String(at))
  }
  assert.throws(() => keys.open(sealed.subarray(0, -1), 'settings of one'))
  assert.notDeepEqual(keys.seal(1, 'a secret', 'settings of one'), sealed, 'never the same twice')
})

it('a text has another hash for each purpose, and the same one under every later data key', () => {
  const keys = new Keyring([key(1, 0)])
  const [person, recipient] = ['person', 'recipient'].map((purpose) =>
    keys.lookupHash(purpose, 'a@b.example'),
  )
  assert.notDeepEqual(person, recipient)
  assert.deepEqual(new Keyring([key(1, 0), key(2, 0)]).lookupHash('person', 'a@b.example'), person)
})
