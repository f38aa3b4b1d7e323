import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { draftFrom, messageChange, savedDraft, templateOf } from './draft.ts'

const app = { name: 'Shop', code_length: 6, code_ttl_s: 600, autofill: {} }

describe('a text of the app’s own', () => {
  it('starts from the shipped one, with its placeholders back in place', () => {
    const rendered = {
      subject: 'Your Shop verification code',
      text: 'To continue with Shop, enter this code:\n\n123456\n\nValid for 10 minutes.',
      html: '<p>123456</p>',
    }
    assert.deepEqual(draftFrom(rendered, app), {
      subject: 'Your {app} verification code',
      text: 'To continue with {app}, enter this code:\n\n{code}\n\nValid for {minutes} minutes.',
      html: null,
    })
  })

  it('leaves out the line of autofill, which is added to whatever is written', () => {
    const rendered = { subject: null, text: '123456 is your Shop code.\n@shop.example #123456', html: null }
    const draft = draftFrom(rendered, { ...app, autofill: { web_domain: 'shop.example' } })
    assert.equal(draft.text, '{code} is your {app} code.')
  })

  it('is taken away by null, and so is the HTML of a mail', () => {
    assert.deepEqual(messageChange('sms', 'en', null), { messages: { sms: { en: null } } })
    const draft = { subject: 'Code', text: '{code}', html: null }
    assert.deepEqual(messageChange('email', 'en', draft), { messages: { email: { en: draft } } })
    assert.deepEqual(templateOf('email', draft), { subject: 'Code', text: '{code}' })
  })

  it('is none where the app has no text in that language', () => {
    const messages = { sms: { en: { text: '{code}' } }, whatsapp: {}, email: {} }
    assert.equal(savedDraft(messages, 'sms', 'en')?.text, '{code}')
    assert.equal(savedDraft(messages, 'email', 'en'), null)
  })
})
