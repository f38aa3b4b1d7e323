import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { getCountries, getCountryCallingCode, getExampleNumber } from 'libphonenumber-js/max'
import examples from 'libphonenumber-js/mobile/examples'
import { canonicalPhone, parseRecipient } from './recipient.ts'

const refuses = (texts: readonly string[]) => {
  for (const text of texts) assert.equal(parseRecipient(text), null, JSON.stringify(text))
}

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
    'of a wrong length': [
      '+',
      '+4',
      '+44740',
      '+447400',
      '+44740012345',
      '+4474001234567',
      '+1234567890123456',
    ],
    'that starts with zero': ['+0447400123456'],
    'with a national prefix in it': ['+4407400123456', '+410860123456'],
    'that nobody can have': ['+12425551234', '+999123456789', '+10000000000'],
    'without a country': [
      '+80012345678',
      '+80812345678',
      '+870773111632',
      '+88161234567',
      '+88213300655',
      '+883510012345',
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
  for (const [name, texts] of Object.entries(refused)) it(`is refused ${name}`, () => refuses(texts))

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

describe('an email address', () => {
  for (const [text, address, canonical, masked] of [
    ['person@example.com', 'person@example.com', 'person@example.com', 'p****@example.com'],
    ['Person@EXAMPLE.com', 'Person@example.com', 'person@example.com', 'P****@example.com'],
    ['x@example.com', 'x@example.com', 'x@example.com', '****@example.com'],
    ['a.b+tag+more@example.com', 'a.b+tag+more@example.com', 'a.b@example.com', 'a****@example.com'],
    ['a.b+tag@gmail.com', 'a.b+tag@gmail.com', 'ab@gmail.com', 'a****@gmail.com'],
    ['A.B@googlemail.com', 'A.B@googlemail.com', 'ab@gmail.com', 'A****@googlemail.com'],
    ['person@bücher.de', 'person@xn--bcher-kva.de', 'person@xn--bcher-kva.de', 'p****@xn--bcher-kva.de'],
    [
      'person@mail.example.co.uk',
      'person@mail.example.co.uk',
      'person@mail.example.co.uk',
      'p****@mail.example.co.uk',
    ],
    ["o'hara_{x}@example.com", "o'hara_{x}@example.com", "o'hara_{x}@example.com", 'o****@example.com'],
  ] as const) {
    it(`${text} is delivered to as ${address} and known as ${canonical}`, () => {
      assert.deepEqual(parseRecipient(text), {
        type: 'email',
        address,
        canonical,
        masked,
        country: null,
        isFixedLine: false,
        isDisposable: false,
      })
    })
  }

  const refused: Record<string, string[]> = {
    'without a part': ['', '@', 'a', 'a@', '@example.com', 'example.com'],
    'with blanks or control characters': [
      'a b@example.com',
      ' a@example.com',
      'a@exa mple.com',
      'a\u0000@example.com',
      'a\r\nbcc:x@example.com',
      'a\u007f@example.com',
    ],
    'with a quoted local part or a comment': [
      '"a"@example.com',
      '"a b"@example.com',
      'a(b)@example.com',
      'a@(b)example.com',
    ],
    'with stray dots': ['.a@example.com', 'a.@example.com', 'a..b@example.com', 'a@example..com'],
    'with two at signs': ['a@@example.com', 'a@b@example.com'],
    'at an IP address': [
      'a@127.0.0.1',
      'a@[127.0.0.1]',
      'a@[IPv6:::1]',
      'a@1.2.3',
      'a@0x7f.1',
      'a@１２７.0.0.1',
    ],
    'at a single label or a bare suffix': ['a@localhost', 'a@com', 'a@co.uk'],
    'at a domain without a public suffix': ['a@example.invalid', 'a@example.nosuchtld', 'a@example.local'],
    'at a domain that cannot be': [
      'a@-example.com',
      'a@exam_ple.com',
      `a@${'x'.repeat(64)}.com`,
      'a@example.com:25',
    ],
    'that is too long': [
      `${'a'.repeat(65)}@example.com`,
      `a@${'x.'.repeat(126)}com`,
      `${'a'.repeat(60)}@${'x'.repeat(60)}.${'y'.repeat(60)}.${'z'.repeat(60)}.example.com`,
    ],
    'with letters beyond ASCII before the at sign': ['é@example.com', 'ａ@example.com'],
  }
  for (const [name, texts] of Object.entries(refused)) it(`is refused ${name}`, () => refuses(texts))

  it('of 64 characters before the at sign is taken', () => {
    assert.ok(parseRecipient(`${'a'.repeat(64)}@example.com`))
  })

  it('of 254 characters is taken, and of one more is not', () => {
    const label = 'x'.repeat(60)
    const longest = `a@${'y'.repeat(58)}.${label}.${label}.${label}.example.co`
    assert.equal(longest.length, 254)
    assert.ok(parseRecipient(longest))
    refuses([`a${longest}`])
  })

  it('is refused when its domain starts or ends in a dot', () => {
    refuses(['a@example.com.', 'a@.example.com'])
  })

  it('is refused when its domain has control characters or the marks of an address on the web', () => {
    refuses([
      'a@example.com\n',
      'a@exa\tmple.com',
      'a@example.com/x',
      'a@example.com?x',
      'a@example.com#x',
      'a@exa%6dple.com',
      'a@example.com\\x',
    ])
  })

  it('may start with a plus sign', () => {
    assert.equal(parseRecipient('+tag@example.com')?.type, 'email')
  })

  it('is known as disposable by its domain, by one above it, and in whatever case', () => {
    for (const text of ['a@mailinator.com', 'a@MAILINATOR.com', 'a+b@x.y.mailinator.com', 'a@yopmail.com'])
      assert.equal(parseRecipient(text)?.isDisposable, true, text)
  })

  it('of a common provider is never taken for a disposable one', () => {
    const common = [
      'gmail.com',
      'googlemail.com',
      'outlook.com',
      'hotmail.com',
      'live.com',
      'yahoo.com',
      'icloud.com',
    ]
    const more = [
      'me.com',
      'proton.me',
      'protonmail.com',
      'gmx.de',
      'gmx.net',
      'web.de',
      'mail.ru',
      'yandex.ru',
      'qq.com',
    ]
    const rest = [
      '163.com',
      'aol.com',
      'zoho.com',
      'fastmail.com',
      'orange.fr',
      'free.fr',
      'libero.it',
      'btinternet.com',
    ]
    for (const domain of [
      ...common,
      ...more,
      ...rest,
      'privaterelay.appleid.com',
      'example.com',
      'mailinator.com.example.com',
    ])
      assert.equal(parseRecipient(`person@${domain}`)?.isDisposable, false, domain)
  })
})
