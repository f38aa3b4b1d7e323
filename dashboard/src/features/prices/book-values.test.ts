import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { bookOf, noPrices, problemsOf, valuesOf } from './book-values.ts'

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
    const countries = [...values.countries, { country: 'JP', prices: noPrices }]
    assert.deepEqual(Object.keys(bookOf({ ...values, countries }).countries), ['GB'])
  })

  it('names the country and the channel of a wrong price', () => {
    const countries = [{ country: 'JP', prices: { ...noPrices, sms: '0.0.7' } }]
    assert.match(problemsOf({ ...valuesOf(book), countries }).countries ?? '', /^Japan, SMS: /)
  })

  it('asks for every default price, and for a currency', () => {
    const problems = problemsOf({ ...valuesOf(book), currency: 'eur', 'default.sms': '' })
    assert.ok(problems.currency)
    assert.ok('default.sms' in problems && problems['default.sms'])
  })
})
