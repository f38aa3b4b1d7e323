import assert from 'node:assert/strict'
import { test } from 'node:test'
import { bookOfCsv, changesBetween, csvOfBook } from './book-csv.ts'
import { readCsv } from './read-csv.ts'

const book = {
  currency: 'EUR',
  default: { sms: '0.05', whatsapp: '0.03', telegram: '0.01', email: '0.001', whatsapp_reply: '0' },
  countries: { GB: { sms: '0.04' }, FR: { sms: '0.06', whatsapp: '0.05' } },
}
const codes = ['DE', 'FR', 'GB']
const read = (text: string) => bookOfCsv(text, book, codes)

test('what is written is read back without a change', () => {
  const { values } = read(csvOfBook(book))
  assert.ok(values)
  assert.deepEqual(changesBetween(book, values), [])
})

test('a preview names every price that would be another, those that go too', () => {
  const { values } = read('country,sms,whatsapp\r\ndefault,0.055,\r\nGB,0.040,\r\nDE,0.07,0.06\r\n')
  assert.ok(values)
  assert.deepEqual(changesBetween(book, values), [
    { country: null, channel: 'sms', before: '0.05', after: '0.055' },
    { country: 'DE', channel: 'sms', before: '', after: '0.07' },
    { country: 'DE', channel: 'whatsapp', before: '', after: '0.06' },
    { country: 'FR', channel: 'sms', before: '0.06', after: '' },
    { country: 'FR', channel: 'whatsapp', before: '0.05', after: '' },
  ])
  assert.equal(values.default.whatsapp, '0.03', 'an empty cell of everywhere keeps what is there')
})

test('what cannot be read is said with its row', () => {
  assert.match(read('land,sms\nGB,1').problem ?? '', /must begin with country/)
  assert.match(read('country,fax\nGB,1').problem ?? '', /fax is not a channel/)
  assert.match(read('country,sms\nGB,0.04\nXX,1').problem ?? '', /Row 3: XX is not a country/)
  assert.match(read('country,sms\nGB,=1+1').problem ?? '', /Row 2: =1\+1 is not a price/)
  assert.match(read('country,sms\nGB,-1').problem ?? '', /not a price/)
})

test('files of all spreadsheets are read: quotes, semicolons, a mark at the beginning, blank lines', () => {
  const rows = [
    ['country', 'sms'],
    ['GB', '0.04'],
  ]
  assert.deepEqual(readCsv('\uFEFFcountry;sms\r\nGB;0.04\r\n\r\n'), rows)
  assert.deepEqual(readCsv('"country","sms"\n"GB"," 0.04 "'), rows)
  assert.deepEqual(readCsv('a,"b ""c"", d\ne"'), [['a', 'b "c", d\ne']])
})
