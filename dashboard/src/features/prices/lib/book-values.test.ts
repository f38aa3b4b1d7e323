import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { priceBook } from '@countersign/contract/bodies'
import { against } from '#lib/form/problems.ts'
import { bookOf, noPrices, valuesOf } from './book-values.ts'

const book = {
  currency: 'EUR',
  default: { sms: '0.050000', whatsapp: '0.02', telegram: '0.01', email: '0.001', whatsapp_reply: '0' },
  countries: { GB: { sms: '0.04' } },
}

describe('the price book while it is edited', () => {
  it('is saved as it was read, without zeros that say nothing', () => {
    assert.deepEqual(bookOf(valuesOf(book)), { ...book, default: { ...book.default, sms: '0.05' } })
  })

  it('leaves out a country without a price of its own', () => {
    const values = valuesOf(book)
    const countries = { ...values.countries, JP: noPrices }
    assert.deepEqual(Object.keys(bookOf({ ...values, countries }).countries), ['GB'])
  })

  it('is refused by the contract at the very field that is wrong', () => {
    const values = valuesOf(book)
    const wrong = bookOf({
      currency: 'eur',
      default: { ...values.default, sms: '' },
      countries: { JP: { ...noPrices, sms: '0.0.7' } },
    })
    assert.deepEqual(
      [...new Set(against(priceBook)(wrong).map(({ path }) => path))],
      ['currency', 'default.sms', 'countries.JP.sms'],
    )
  })
})
