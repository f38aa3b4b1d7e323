import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { countSegments } from '../../channels/smpp/gsm7.ts'
import { directionOf } from './choose-locale.ts'
import type { Language } from './language.ts'
import { getLanguage, shippedLocales } from './locales.ts'
import { renderMessage } from './render.ts'
import { shippedText } from './shipped-text.ts'

const placeholdersOf: Record<Exclude<keyof Language, 'expiry'>, string[]> = {
  codeLine: ['app', 'code'],
  warning: [],
  subject: ['app'],
  heading: ['app'],
  notYou: [],
  linkText: ['app', 'reference'],
}

/** Languages whose SMS can be spelt correctly within GSM-7. */
const gsm7Locales = 'ca da de en es fi fil fr hr id it ms nb nl pl ro sl sv sw tr'.split(' ')

function sms(locale: string, appName: string): string {
  return renderMessage({
    channel: 'sms',
    locale,
    appName,
    code: '12345678',
    minutes: 10,
    templates: null,
    autofill: null,
  }).text
}

function namesIn(text: string): string[] {
  return [...new Set([...text.matchAll(/\{(\w+)\}/g)].map(([, name]) => name ?? ''))].sort()
}

test('at least two dozen languages are shipped, each under its canonical tag', () => {
  assert.ok(new Set(shippedLocales.map((locale) => locale.split('-')[0])).size >= 24)
  assert.deepEqual(Intl.getCanonicalLocales([...shippedLocales]), shippedLocales)
})

for (const locale of shippedLocales) {
  const language = getLanguage(locale)

  test(`${locale}: every text is there, with its placeholders and no others`, () => {
    for (const [key, names] of Object.entries(placeholdersOf)) {
      const text = language[key as keyof typeof placeholdersOf]
      assert.notEqual(text, '', key)
      assert.equal(text, text.trim(), key)
      assert.equal(text, text.normalize('NFC'), key)
      assert.deepEqual(namesIn(text), names, key)
    }
    assert.match(language.linkText, / \{reference\}$/)
  })

  test(`${locale}: every number of minutes has its own right form`, () => {
    const rules = new Intl.PluralRules(locale)
    for (let minutes = 1; minutes <= 10; minutes += 1) {
      const form = rules.select(minutes)
      const isSame = Object.keys(language.expiry).length === 1
      assert.ok(isSame || language.expiry[form] !== undefined, `${form} is missing`)
    }
    for (const [form, text] of Object.entries(language.expiry)) {
      const isSpeltOut = ['ar', 'he'].includes(locale) && ['one', 'two'].includes(form)
      assert.deepEqual(namesIn(text), isSpeltOut ? [] : ['minutes'], form)
    }
  })

  test(`${locale}: the SMS with its warning is one segment, in the encoding its spelling needs`, () => {
    const isGsm7 = gsm7Locales.includes(locale)
    const text = sms(locale, 'A'.repeat(isGsm7 ? 20 : 11))
    const { segments, encoding } = countSegments(text)
    assert.deepEqual({ segments, encoding }, { segments: 1, encoding: isGsm7 ? 'gsm7' : 'ucs2' })
    assert.ok(text.endsWith(language.warning))
    assert.match(text, /\b12345678\b/)
  })

  test(`${locale}: an app name in any script leaves the SMS one segment, with its warning`, () => {
    const text = sms(locale, 'я'.repeat(11))
    assert.equal(countSegments(text).segments, 1)
    assert.ok(text.endsWith(language.warning))
  })

  test(`${locale}: a long app name costs the warning, not a second segment`, () => {
    assert.equal(countSegments(sms(locale, 'я'.repeat(25))).segments, 1)
  })

  test(`${locale}: the code stands in the first half of the SMS`, () => {
    const text = shippedText(locale).codeWithWarning
    assert.ok(text.indexOf('{code}') < text.length / 2)
  })
}

for (const locale of shippedLocales.filter((each) => directionOf(each) === 'rtl')) {
  const language = getLanguage(locale)
  const texts = [
    ...Object.values(language.expiry),
    ...Object.keys(placeholdersOf).map((key) => language[key as keyof typeof placeholdersOf]),
  ]

  test(`${locale}: every text runs right to left around a Latin name`, () => {
    for (const text of texts) {
      const [firstLetter] =
        text
          .replaceAll('{app}', 'Acme')
          .replaceAll(/\{\w+\}/g, '1')
          .match(/\p{L}/u) ?? []
      assert.match(firstLetter ?? '', /[\p{Script=Arabic}\p{Script=Hebrew}]/u, text)
    }
  })

  test(`${locale}: a word keeps the digits apart from the name`, () => {
    const [, between = ''] = language.codeLine.match(/\{(?:code|app)\}(.*)\{(?:code|app)\}/) ?? []
    assert.match(between, /[\p{Script=Arabic}\p{Script=Hebrew}]{2}/u)
  })
}

test('the right-to-left languages are known as such', () => {
  assert.deepEqual(
    shippedLocales.filter((locale) => directionOf(locale) === 'rtl'),
    ['ar', 'fa', 'he', 'ur'],
  )
})

test('docs/providers.md lists the languages that are shipped, and how many there are', () => {
  const page = readFileSync(new URL('../../../../docs/providers.md', import.meta.url), 'utf8')
  const [, count, list = ''] = /ships texts in (\d+) locales: (.*?)\. /.exec(page) ?? []
  assert.deepEqual(list.split(', '), shippedLocales.toSorted())
  assert.equal(Number(count), shippedLocales.length)
})
