import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { inShort } from './in-short.ts'

type Verification = Parameters<typeof inShort>[0]
type Message = Verification['deliveries'][number]

const pending: Verification = {
  status: 'pending',
  cancelled_at: null,
  channel: 'sms',
  action_url: null,
  completion: 'code',
  resend_available_at: '2026-01-01T00:00:30.000Z',
  sends_remaining: 3,
  deliveries: [],
}
const sms: Message = { channel: 'sms', status: 'sent', error: null }
const failed: Message = { ...sms, status: 'failed', error: { code: 'UNDELIV', message: 'Absent.' } }
const of = (change: Partial<Verification>, ...deliveries: Message[]) =>
  inShort({ ...pending, ...change, deliveries })

describe('what became of a code, in short', () => {
  it('says nothing once the person has got through', () => {
    assert.equal(of({ status: 'approved' }, failed), null)
  })

  it('says of the last message whether it arrived, and why not', () => {
    const found = of({}, { ...sms, status: 'delivered' }, failed)
    assert.deepEqual(
      [found?.tone, found?.what, found?.maySendAgain],
      ['warn', 'The SMS message did not arrive. Absent.', true],
    )
    assert.match(of({}, failed, sms)?.what ?? '', /has not confirmed delivery/)
    assert.match(
      of({}, { ...sms, status: 'delivered' })?.what ?? '',
      /The provider says that the SMS message arrived/,
    )
    assert.match(of({}, { ...sms, status: 'queued' })?.what ?? '', /has not been sent yet/)
    assert.match(of({}, { ...sms, channel: 'email', status: 'delivered' })?.next ?? '', /spam folder/)
  })

  it('says which code works to whoever has several', () => {
    const delivered: Message = { ...sms, status: 'delivered' }
    const which = /only the latest one works/
    assert.match(of({}, delivered, { ...delivered, channel: 'whatsapp' })?.next ?? '', which)
    assert.match(of({ sends_remaining: 0 }, delivered, sms)?.next ?? '', which)
    assert.doesNotMatch(of({}, failed, delivered)?.next ?? '', which, 'one came')
    assert.doesNotMatch(of({ status: 'expired' }, delivered, sms)?.next ?? '', which, 'none works any more')
  })

  it('sends nobody after a message while they have a link that they have not used', () => {
    const link = { channel: 'whatsapp', action_url: 'https://wa.me/1', completion: 'inbound' } as const
    assert.match(of(link, failed)?.what ?? '', /WhatsApp link/)
    const over = of({ ...link, status: 'expired', action_url: null, resend_available_at: null }, failed)
    assert.match(over?.what ?? '', /WhatsApp link/)
    assert.equal(of(link, failed)?.maySendAgain, false, 'they would get the same link again')
    assert.match(of(link)?.next ?? '', /No code comes in this mode/)
    const answered = of({ ...link, completion: 'code' }, { ...sms, channel: 'whatsapp' })
    assert.match(answered?.what ?? '', /accepted the WhatsApp message/)
  })

  it('sends nobody to another channel from a link once the sends are spent', () => {
    const link = {
      channel: 'whatsapp',
      action_url: 'https://wa.me/1',
      sends_remaining: 0,
    } as const
    for (const completion of ['code', 'inbound'] as const) {
      const { next = '', maySendAgain } = of({ ...link, completion }) ?? {}
      assert.doesNotMatch(next, /another channel/)
      assert.match(next, /(They get the code after they write|their message verifies them)/)
      assert.match(next, /ask for a code in the app again: nothing more can be sent/)
      assert.equal(maySendAgain, false)
    }
    const answered = of(link, { ...sms, channel: 'whatsapp', status: 'delivered' })
    assert.match(answered?.next ?? '', /Nothing more can be sent/)
  })

  it('offers no further send where none can follow', () => {
    for (const change of [
      { resend_available_at: null },
      { status: 'expired' },
      { status: 'failed' },
      { status: 'failed', cancelled_at: '2026-01-01T00:00:10.000Z' },
    ] as const) {
      const found = of(change, failed)
      assert.equal(found?.maySendAgain, false, JSON.stringify(change))
      assert.match(found?.next ?? '', /has to ask for a new code/)
    }
    assert.match(of({ status: 'expired' }, failed)?.what ?? '', /did not arrive/)
    assert.match(of({ status: 'failed' }, failed)?.what ?? '', /Too many wrong codes/)
  })
})
