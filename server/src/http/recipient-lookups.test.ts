import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createLookups, mostLookups } from './recipient-lookups.ts'

const many = Array.from({ length: mostLookups + 1 }, (_unused, index) => `+4474005${10_000 + index}`)

describe('the recipients that a viewer looks up', () => {
  it('are counted once each, however they are written, and while they are being typed', () => {
    const count = createLookups(() => 0)
    for (const recipient of many.slice(1))
      for (let length = 6; length <= recipient.length; length++)
        count('per_1', 'viewer', { recipient: recipient.slice(0, length) })
    for (const recipient of [many[2], many[1]?.replace('+44', '+44 (').replace('7400', '7400) ')])
      count('per_1', 'viewer', { recipient })
    assert.throws(() => count('per_1', 'viewer', { recipient: many[0] }), /120 recipients in 10 minutes/)
  })

  it('may be as many again ten minutes later, and for somebody else', () => {
    let now = 0
    const count = createLookups(() => now)
    const lookUp = (personId: string, recipients: readonly string[]) => {
      for (const recipient of recipients) count(personId, 'viewer', { recipient })
    }
    const [last = '', ...most] = many
    lookUp('per_1', most)
    assert.throws(() => lookUp('per_1', [last]))
    lookUp('per_2', [last])
    now = 600_000
    lookUp('per_1', [last])
    for (const recipient of many) count('per_3', 'developer', { recipient })
  })
})
