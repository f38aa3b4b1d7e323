import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { getCountries, getCountryCallingCode, getExampleNumber } from 'libphonenumber-js/max'
import examples from 'libphonenumber-js/mobile/examples'
import { canonicalPhone, parseRecipient } from './recipient.ts'

describe('a phone number', () => {
  for (const [text, country, isFixedLine, masked] of [
    ['+447400123456', 'GB', false, '+44****56'],
    ['+442079460958', 'GB', true, '+44****58'],
    ['+441534123456', 'JE', true, '+44****56'],
    ['+447797123456', 'JE', false, '+44****56'],
    ['+447781123456', 'GG', false, '+44****56'],
    ['+447624123456', 'IM', false, '+44****56'],
    ['+12423591234', 'BS', false, '+1****34'],
    ['+12125551234', 'US', false, '+1****34'],
    ['+14165551234', 'CA', false, '+1****34'],
    ['+77012345678', 'KZ', false, '+7****78'],
    ['+79161234567', 'RU', false, '+7****67'],
    ['+38344123456', 'XK', false, '+383****56'],
    ['+390612345678', 'IT', true, '+39****78'],
    ['+5511987654321', 'BR', false, '+55****21'],
  ] as const) {
    it(`${text} is of ${country}${isFixedLine ? ', a fixed line' : ''}`, () => {
      assert.deepEqual(parseRecipient(text), {
        type: 'phone',
        written: text,
        address: text,
        canonical: canonicalPhone(text),
        masked,
        country,
        isFixedLine,
        isDisposable: false,
      })
    })
  }

  for (const [callingCode, regions] of [
    ['1', 25],
    ['7', 2],
  ] as const) {
    it(`of +${callingCode} is of one of ${regions} regions, by its own digits`, () => {
      const sharing = getCountries().filter((each) => getCountryCallingCode(each) === callingCode)
      assert.equal(sharing.length, regions)
      for (const region of sharing) {
        const number = getExampleNumber(region, examples)?.number ?? ''
        assert.equal(parseRecipient(number)?.country, region, number)
      }
    })
  }

  const refused: Record<string, string[]> = {
    'in any form but E.164': [
      '447400123456',
      '00447400123456',
      '+44 7400 123456',
      '+44-7400-123456',
      '+(44)7400123456',
      '＋447400123456',
      '+44７400123456',
      '+447400123456 ',
      ' +447400123456',
      '+447400123456\n',
      '+447400123456;ext=5',
      '+447400123456x5',
      'tel:+447400123456',
    ],
    'of fewer than 8 or more than 15 digits': [
      '+',
      '+4',
      '+44740',
      '+447400',
      '+4474001',
      '+1234567890123456',
    ],
    'that starts with zero': ['+0447400123456'],
    'with a national prefix in it': ['+4407400123456', '+4407797123456'],
    'of a calling code that nobody has': ['+999123456789', '+21012345678', '+80112345678'],
    'without a country': [
      '+80012345678',
      '+80812345678',
      '+870773111632',
      '+88161234567',
      '+88213300655',
      '+883510012345',
      '+88312345678901',
      '+8706123456789',
      '+979123456789',
    ],
    'at premium rate': ['+449012345678', '+19002345678', '+33892123456', '+81990123456'],
    'at shared cost': ['+4918012345678', '+611300123456', '+48801123456'],
    'that is toll-free': ['+448001111111', '+18002345678', '+18885551234'],
    'of a pager': ['+447640123456', '+4916412345'],
    'of a voicemail': ['+41860123456789'],
    'of a company (UAN)': ['+443001234567'],
    'that follows a person (070)': ['+447012345678'],
  }
  for (const [name, texts] of Object.entries(refused)) {
    it(`is refused ${name}`, () => {
      for (const text of texts) assert.equal(parseRecipient(text), null, JSON.stringify(text))
    })
  }

  for (const [text, country, masked] of [
    ['+15551234567', 'US', '+1****67'],
    ['+15550001111', 'US', '+1****11'],
    ['+15005550006', 'US', '+1****06'],
    ['+1234567890', 'US', '+1****90'],
    ['+12425551234', 'BS', '+1****34'],
    ['+447700900123', 'GB', '+44****23'],
    ['+441481000000', 'GB', '+44****00'],
    ['+5215512345678', 'MX', '+52****78'],
    ['+262000000000', 'RE', '+262****00'],
    ['+79000000000000', 'RU', '+7****00'],
    ['+6834002', 'NU', '+683****02'],
  ] as const) {
    it(`${text}, which the numbering plan may not know, is of ${country}`, () => {
      const recipient = parseRecipient(text)
      assert.deepEqual([recipient?.country, recipient?.masked, recipient?.address], [country, masked, text])
    })
  }

  it('is held to the length or to the numbering plan where an app asks for it', () => {
    for (const [text, isPossible, isValid] of [
      ['+447400123456', true, true],
      ['+447700900123', true, false],
      ['+15551234567', true, false],
      ['+1234567890', false, false],
      ['+4474001234567', false, false],
      ['+4407700900123', false, false],
      ['+15005550006', false, false],
      ['+18002345678', false, false],
    ] as const) {
      assert.equal(parseRecipient(text, 'possible') !== null, isPossible, text)
      assert.equal(parseRecipient(text, 'valid') !== null, isValid, text)
    }
  })

  it('is known by one form, whichever way WhatsApp writes it', () => {
    for (const [written, canonical] of [
      ['+551187654321', '+5511987654321'],
      ['+5511987654321', '+5511987654321'],
      ['+5215512345678', '+525512345678'],
      ['+525512345678', '+525512345678'],
      ['+5491123456789', '+541123456789'],
      ['+541123456789', '+541123456789'],
      ['+447400123456', '+447400123456'],
    ] as const)
      assert.equal(canonicalPhone(written), canonical)
  })

  it('of a fixed line in Brazil is not taken for a mobile one', () => {
    assert.equal(canonicalPhone('+551130041234'), '+551130041234')
  })
})
