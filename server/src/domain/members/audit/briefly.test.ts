import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { briefly } from './briefly.ts'

const left = '(not recorded)'
const read = (changes: Record<string, unknown>) => {
  const text = briefly(changes)
  assert.ok(text.length <= 8_192, `${text.length} characters`)
  return JSON.parse(text)
}

describe('what the trail keeps of a change', () => {
  it('is all of it, up to 8,192 characters', () => {
    const fitting = { limit: 5, note: 'n'.repeat(8_192 - '{"limit":5,"note":""}'.length) }
    assert.deepEqual(read(fitting), fitting)
    assert.deepEqual(read({ ...fitting, limit: 55 }), { limit: 55, note: left })
  })

  it('is all but its longest values where it is longer, wherever they stand', () => {
    const settings = {
      host: 'sms.example',
      limits: { ip: [{ max: 9, seconds: 60 }] },
      list: Array(999).fill(7),
    }
    const texts = { en: 'a'.repeat(9_000), de: 'b'.repeat(5_000), fr: 'c'.repeat(6_000) }
    assert.deepEqual(read({ settings: { ...settings, texts }, enabled: false, name: null }), {
      settings: { ...settings, texts: { en: left, de: texts.de, fr: left } },
      enabled: false,
      name: null,
    })
    assert.deepEqual(read({ port: 25, list: Array(9_000).fill(7) }), { port: 25, list: left })
  })

  it('is without a field that has too many short values, and with the others', () => {
    const prices = Object.fromEntries(Array.from({ length: 2_000 }, (_, index) => [`p${index}`, '0.1']))
    assert.deepEqual(read({ prices, host: 'sms.example' }), { prices: left, host: 'sms.example' })
  })

  it('is which fields there are where nothing else can be written', () => {
    // As a value does that is nested too deeply; how deep that is depends on the version of Node.
    const deep = {
      toJSON: () => {
        throw new RangeError('Maximum call stack size exceeded')
      },
    }
    assert.deepEqual(read({ deep, port: 25 }), { fields: ['deep', 'port'] })
  })
})
