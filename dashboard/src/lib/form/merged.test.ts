import assert from 'node:assert/strict'
import { it } from 'node:test'
import { merged } from './merged.ts'

const before = { currency: 'EUR', countries: { GB: { sms: '1', email: '' }, FR: { sms: '2', email: '' } } }

it('keeps what was typed, added and removed, on top of what somebody else has saved', () => {
  const typed = { ...before, countries: { JP: { sms: '7', email: '' }, GB: { sms: '1.5', email: '' } } }
  const saved = {
    currency: 'USD',
    countries: { GB: { sms: '1', email: '3' }, FR: { sms: '2', email: '' }, DE: { sms: '4', email: '' } },
  }
  assert.deepEqual(merged(typed, before, saved), {
    currency: 'USD',
    countries: {
      GB: { sms: '1.5', email: '3' },
      DE: { sms: '4', email: '' },
      JP: { sms: '7', email: '' },
    },
  })
})

it('is what was saved where nothing was typed, and what was typed where nothing else was saved', () => {
  const other = { ...before, currency: 'GBP' }
  assert.deepEqual(merged(before, before, other), other)
  assert.deepEqual(merged(other, before, before), other)
})

it('leaves what somebody else has filled in where both have added the same', () => {
  const added = (sms: string, email: string) => ({ JP: { sms, email } })
  assert.deepEqual(merged(added('', ''), {}, added('0.08', '0.004')), added('0.08', '0.004'))
  assert.deepEqual(merged(added('0.09', ''), {}, added('0.08', '0.004')), added('0.09', '0.004'))
})

it('takes a list as one value', () => {
  assert.deepEqual(merged({ order: ['b'] }, { order: ['a', 'b'] }, { order: ['a', 'b', 'c'] }), {
    order: ['b'],
  })
})
