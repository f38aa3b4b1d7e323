import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { createTenant, freshPhone, message, send } from './harness/fixtures.ts'
import { assertRefused } from './harness/refusals.ts'
import { startService } from './harness/service.ts'

const { node, close } = await startService()
after(close)

describe('send', () => {
  describe('the language of a message', () => {
    const words: Record<string, RegExp> = {
      en: /is your .*code|code for Acme/i,
      de: /ist Ihr Code für Acme/,
      pt: /é o seu código para Acme/,
      'pt-BR': /é seu código para Acme/,
    }
    for (const [asked, appLocale, expected] of [
      [undefined, 'en', 'en'],
      [undefined, 'de', 'de'],
      ['de', 'en', 'de'],
      ['pt-BR', 'en', 'pt-BR'],
      ['pt-br', 'en', 'pt-BR'],
      ['pt_BR', 'en', 'pt-BR'],
      ['pt-AO', 'en', 'pt'],
      ['de-CH-1996', 'en', 'de'],
      ['tlh', 'de', 'de'],
      ['tlh-Latn-US', 'en', 'en'],
    ] as const) {
      it(`is ${expected} when ${asked ?? 'none'} was asked for and the app’s is ${appLocale}`, async () => {
        const { serverKey } = await createTenant(node, { default_locale: appLocale })
        const recipient = freshPhone()
        await send(node, serverKey, asked ? { recipient, locale: asked } : { recipient })
        const { text, locale } = await message(node, recipient)
        assert.equal(locale, expected)
        assert.match(text, words[expected] ?? /^$/)
      })
    }
    for (const locale of ['', 'e', '_', 'en-', 'english language', '??', 'x'.repeat(36), 7]) {
      it(`is refused when it is no tag: ${JSON.stringify(locale)}`, async () => {
        const { serverKey } = await createTenant(node)
        const answer = await send(node, serverKey, { recipient: freshPhone(), locale })
        assertRefused(answer, 422, 'ValidationError')
        assert.equal(answer.body.error.details.fields[0].path, 'locale')
      })
    }
  })
})
