import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { sayThen, sayWhen } from './rule-words.ts'

describe('a rule of one’s own, in words', () => {
  for (const [when, text] of [
    [{}, 'Every send'],
    [{ country: ['FR', 'DE'], ip_class: ['vpn'] }, 'Sends to France or Germany, from a VPN'],
    [{ ip_country: ['FR', 'DE'] }, 'Sends from addresses in France or Germany'],
    [{ country: ['FR', 'DE', 'IT', 'ES', 'PT', 'BE'] }, 'Sends to France, Germany, Italy, Spain, or 2 more'],
    [
      { known: false, recipient_type: ['email'] },
      'Sends to an email address, to people never approved before',
    ],
    [
      { sends_of_recipient: { gte: 3, window_s: 3_600 } },
      'Sends after at least 3 sends to the recipient in the last hour',
    ],
    [{ hour: { gte: 22, lte: 5 } }, 'Sends between 22:00 and 5:59 UTC'],
    [{ price: { gte: '0.1' }, channel: ['sms'] }, 'Sends by SMS, that cost at least 0.1'],
  ] as const) {
    it(`says who it is for: ${text}`, () => assert.equal(sayWhen(structuredClone(when) as never), text))
  }

  for (const [then, text] of [
    [{ action: 'refuse' }, 'are refused'],
    [{ action: 'hold', minutes: 1 }, 'wait for 1 minute'],
    [{ action: 'channels', channels: ['whatsapp', 'telegram'] }, 'go by WhatsApp or Telegram only'],
    [{ action: 'limit', max: 1_000, window_s: 7_200 }, 'are limited to 1,000 in 2 h'],
    [{ action: 'limit', max: 5, window_s: 3_600 }, 'are limited to 5 in an hour'],
    [{ action: 'limit', max: 5, window_s: 86_400 }, 'are limited to 5 in a day'],
    [{ action: 'pass' }, 'pass the guard'],
  ] as const) {
    it(`says what then happens: ${text}`, () => assert.equal(sayThen(structuredClone(then) as never), text))
  }
})
