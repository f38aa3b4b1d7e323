import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { parseRecipient, provenAddress } from './recipient.ts'

const refuses = (texts: readonly string[]) => {
  for (const text of texts) assert.equal(parseRecipient(text), null, JSON.stringify(text))
}

describe('an email address', () => {
  for (const [text, address, canonical, masked] of [
    ['person@example.com', 'person@example.com', 'person@example.com', 'p****@example.com'],
    ['Person@EXAMPLE.com', 'Person@example.com', 'person@example.com', 'P****@example.com'],
    ['x@example.com', 'x@example.com', 'x@example.com', '****@example.com'],
    ['a.b+tag+more@example.com', 'a.b+tag+more@example.com', 'a.b@example.com', 'a****@example.com'],
    ['+tag@example.com', '+tag@example.com', '+tag@example.com', '+****@example.com'],
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
        written: text,
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
    'at a single label': ['a@localhost', 'a@com'],
    'at a domain that cannot be': [
      'a@-example.com',
      'a@example-.com',
      'a@example.1',
      'a@example.-com',
      'a@exam_ple.com',
      `a@${'x'.repeat(64)}.com`,
      'a@example.com:25',
    ],
    'that is too long': [
      `${'a'.repeat(65)}@example.com`,
      `a@${'x.'.repeat(126)}com`,
      `${'a'.repeat(60)}@${'x'.repeat(60)}.${'y'.repeat(60)}.${'z'.repeat(60)}.example.com`,
    ],
    'with something beyond ASCII that is invisible, blank or another sign in disguise': [
      'a\u200bb@example.com',
      'a\u00a0b@example.com',
      'a\u2028b@example.com',
      'a\ufeff@example.com',
      'a\ue000@example.com',
      'a\ud800@example.com',
      'a＠b@example.com',
      'a\uff1cb\uff1e@example.com',
      'a\uff0e.b@example.com',
    ],
  }
  for (const [name, texts] of Object.entries(refused)) it(`is refused ${name}`, () => refuses(texts))

  it('is taken by its syntax, whoever has the domain', () => {
    for (const domain of [
      'example.test',
      'example.invalid',
      'host.local',
      'app.internal',
      'foo.example',
      'x.nosuchtld',
    ])
      assert.equal(parseRecipient(`user@${domain}`)?.address, `user@${domain}`)
  })

  it('may have letters of any script before the at sign, and is one whichever way they are composed', () => {
    for (const [text, masked] of [
      ['üser@example.com', 'ü****@example.com'],
      ['用户@例え.jp', '用****@xn--r8jz45g.jp'],
      ['почта@пример.рф', 'п****@xn--e1afmkfd.xn--p1ai'],
      ['😀.x@example.com', '😀****@example.com'],
    ] as const)
      assert.equal(parseRecipient(text)?.masked, masked)
    for (const one of ['z', 'é', 'e\u0301', '用', '😀'])
      assert.equal(parseRecipient(`${one}@example.com`)?.masked, '****@example.com', 'none is shown of one')
    const [composed, apart] = ['Üser@example.com', 'U\u0308ser@example.com']
    assert.equal(parseRecipient(composed)?.canonical, parseRecipient(apart)?.canonical)
    for (const text of [composed, apart]) {
      const recipient = parseRecipient(text)
      assert.deepEqual([recipient?.written, recipient?.address], [text, text], 'where messages go')
      assert.ok(recipient && provenAddress(recipient) === text.toLowerCase(), 'what a code proves')
    }
  })

  it('of 64 bytes before the at sign is taken', () => {
    assert.ok(parseRecipient(`${'a'.repeat(64)}@example.com`))
    assert.ok(parseRecipient(`${'ü'.repeat(32)}@example.com`))
    refuses([`${'ü'.repeat(33)}@example.com`])
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
