import assert from 'node:assert/strict'
import { test } from 'node:test'
import { chooseLocale, directionOf, isLanguageTag, readLanguageTag } from './choose-locale.ts'

const none: ReadonlySet<string> = new Set()

const table: [requested: string | null, appDefault: string, uploaded: string[], chosen: string][] = [
  ['de', 'en', [], 'de'],
  ['DE', 'en', [], 'de'],
  ['de-AT', 'en', [], 'de'],
  ['de-Latn-CH-1996', 'en', [], 'de'],
  ['en-u-ca-buddhist', 'de', [], 'en'],
  ['pt-BR', 'en', [], 'pt-BR'],
  ['pt-br', 'en', [], 'pt-BR'],
  ['pt-BR', 'en', ['pt-br'], 'pt-br'],
  ['pt-Latn-BR', 'en', [], 'pt-BR'],
  ['pt-AO', 'en', [], 'pt'],
  ['es-419', 'en', [], 'es'],
  ['zh', 'en', [], 'zh'],
  ['zh-CN', 'en', [], 'zh'],
  ['zh-Hans-HK', 'en', [], 'zh'],
  ['zh-TW', 'en', [], 'zh-TW'],
  ['zh-Hant-TW', 'en', [], 'zh-TW'],
  ['zh-Hant', 'en', [], 'zh-TW'],
  ['zh-HK', 'en', [], 'zh-TW'],
  ['zh-mo', 'en', [], 'zh-TW'],
  ['no', 'en', [], 'nb'],
  ['nn-NO', 'en', [], 'nb'],
  ['iw', 'en', [], 'he'],
  ['tl', 'en', [], 'fil'],
  [null, 'fr', [], 'fr'],
  [null, 'fr-CA', [], 'fr'],
  ['xx', 'fr', [], 'fr'],
  ['cy-GB', 'ja-JP', [], 'ja'],
  ['xx', 'yy', [], 'en'],
  ['not a tag', 'fr', [], 'fr'],
  ['pt_BR', 'fr', [], 'fr'],
  [null, '', [], 'en'],
  ['cy-GB', 'en', ['cy'], 'cy'],
  ['cy', 'en', ['cy-GB'], 'en'],
  ['en-GB', 'de', ['en-gb'], 'en-gb'],
  ['zh-HK', 'en', ['zh-HK'], 'zh-HK'],
  ['zh-Hant-HK', 'en', ['zh-HK'], 'zh-HK'],
  [null, 'cy', ['cy'], 'cy'],
  ['constructor', 'en', [], 'en'],
]

for (const [requested, appDefault, uploaded, chosen] of table) {
  const own = uploaded.length === 0 ? '' : `, with ${uploaded} uploaded`
  test(`${requested ?? 'nothing'} asked for in an app of ${appDefault || 'no locale'}${own} is ${chosen}`, () => {
    assert.equal(chooseLocale(requested, appDefault, new Set(uploaded)), chosen)
  })
}

test('a language tag is well-formed BCP 47 of at most 35 characters', () => {
  for (const tag of ['en', 'EN', 'pt-BR', 'zh-Hant-TW', 'es-419', 'sl-rozaj-biske', 'xx', 'de-x-formal']) {
    assert.equal(isLanguageTag(tag), true, tag)
  }
  const tooLong = `en-x-${'abcdefgh-'.repeat(4)}a`
  for (const text of ['', 'e', 'pt_BR', 'english language', 'en-', '-en', 'en--US', 'русский', tooLong]) {
    assert.equal(isLanguageTag(text), false, text)
  }
})

test('a language tag is read as systems write it too', () => {
  for (const [written, tag] of [
    ['pt_BR', 'pt-BR'],
    ['en-US@posix', 'en-US'],
    ['zh_Hant_TW.UTF-8', 'zh-Hant-TW'],
    ['en', 'en'],
    ['', null],
    ['@posix', null],
    ['C', null],
    ['a b', null],
  ] as const)
    assert.equal(readLanguageTag(written), tag)
})

test('direction follows the script, shipped or not', () => {
  for (const locale of ['ar', 'fa-AF', 'he', 'ur', 'ps', 'ckb', 'dv', 'az-Arab']) {
    assert.equal(directionOf(locale), 'rtl', locale)
  }
  for (const locale of ['en', 'az', 'ur-Latn', 'zh', 'nonsense tag']) {
    assert.equal(directionOf(locale), 'ltr', locale)
  }
})

test('a default that is no longer there does not stop a message', () => {
  assert.equal(chooseLocale(null, 'cy', none), 'en')
})
