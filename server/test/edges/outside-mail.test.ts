/** Mailed reports and providers' callbacks are read at once, up to their limits. */
import { createHash, createHmac } from 'node:crypto'
import { describe, it } from 'node:test'
import type { CallbackRequest, ProviderAccount } from '../../src/channels/channel.ts'
import { providerKinds } from '../../src/channels/index.ts'
import { readDeliveryStatus } from '../../src/channels/smtp/delivery-status.ts'
import { recordingContext } from '../channels/support.ts'
import { assertPrompt, everyText, repeated } from './adversary.ts'
import { callbackBody, headers, mail } from './limits.ts'

const multipart = 'Content-Type: multipart/report; boundary=b\r\n\r\n--b\r\n'
const report = `${multipart}Content-Type: message/delivery-status\r\n\r\nReporting-MTA: x\r\n\r\n`
const places: Readonly<Record<string, (text: string) => string>> = {
  'a header': (text) => `Subject: ${text}\r\n\r\nx`,
  'a header’s name': (text) => `${text}: x\r\n\r\nx`,
  'the content type': (text) => `Content-Type: multipart/report; ${text}\r\n\r\n--b\r\n`,
  'a boundary': (text) => `Content-Type: multipart/report; boundary="${text}"\r\n\r\n--b\r\n`,
  'the body': (text) => `Content-Type: text/plain\r\n\r\n${text}`,
  'a part': (text) => `${multipart}${text}`,
  'parts in parts': (text) => `${repeated(multipart, text.length)}${text}`,
  'the report': (text) => `${report}${text}`,
  'a report in base64': (text) =>
    `${multipart}Content-Type: message/delivery-status\r\nContent-Transfer-Encoding: base64\r\n\r\n${text}`,
  'a report in quoted-printable': (text) =>
    `${multipart}Content-Type: message/delivery-status\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\n${text}`,
  'the diagnostic code': (text) => `${report}Action: failed\r\nDiagnostic-Code: ${text}\r\n`,
  'words in a subject': (text) => `X-Failed-Recipients: x\r\nSubject: =?utf-8?q?${text}?=\r\n\r\nx`,
  'the beginnings of words in a subject': (text) =>
    `X-Failed-Recipients: x\r\nSubject: ${repeated('=?utf-8?b?', text.length)}${text}\r\n\r\nx`,
  'the status': (text) => `${report}Action: failed\r\nStatus: ${text}\r\n`,
}

describe('a mailed report holds the process for less than 50 ms', () => {
  for (const [place, compose] of Object.entries(places)) {
    it(`whatever is in ${place}`, () => {
      for (const { what, text } of everyText(mail)) {
        const bytes = Buffer.from(compose(text)).subarray(0, mail)
        assertPrompt(what, () => readDeliveryStatus(bytes, 'dlv_01'))
      }
    })
  }
})

const sid = (prefix: string) => `${prefix}${'0'.repeat(32)}`
const secret = 'a secret of this account'
type Open = Required<Pick<ProviderAccount, 'parseCallback'>>
/** Signed as the provider would sign: a company may create an account with secrets that it knows, and call it. */
const callers: Readonly<
  Record<string, { settings: Record<string, unknown>; headers: (body: Buffer) => object }>
> = {
  twilio: {
    settings: { account_sid: sid('AC'), auth_token: secret, from: '+15005550006' },
    headers: () => ({ 'x-twilio-signature': 'x' }),
  },
  whatsapp: {
    settings: {
      phone_number_id: '1',
      number: '+15550001111',
      access_token: secret,
      app_secret: secret,
      verify_token: secret,
      template_name: 'code',
    },
    headers: (body) => ({
      'x-hub-signature-256': `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`,
    }),
  },
  telegram: {
    settings: { token: secret },
    headers: (body) => ({
      'x-request-timestamp': '0',
      'x-request-signature': createHmac('sha256', createHash('sha256').update(secret).digest())
        .update('0\n')
        .update(body)
        .digest('hex'),
    }),
  },
}

const inWhatsapp = (value: string) =>
  `{"entry":[{"changes":[{"value":{"metadata":{"phone_number_id":"1"},${value}}}]}]}`
const listOf = (item: string, length: number) =>
  repeated(`${item},`, length - (length % (item.length + 1))).slice(0, -1)
const bodies: Readonly<Record<string, (text: string) => string>> = {
  'plain text': (text) => text,
  'a string': (text) => JSON.stringify(text),
  entries: (text) => `{"entry":[${listOf('{"changes":[]}', text.length)}]}`,
  changes: (text) => `{"entry":[{"changes":[${listOf('{"value":1}', text.length)}]}]}`,
  statuses: (text) => inWhatsapp(`"statuses":[${listOf('{"id":"a","status":"read"}', text.length)}]`),
  'broken statuses': (text) => inWhatsapp(`"statuses":[${listOf('{}', text.length)}]`),
  'an error': (text) =>
    inWhatsapp(
      `"statuses":[{"id":"a","status":"failed","errors":[{"code":1,"title":${JSON.stringify(text)}}]}]`,
    ),
  messages: (text) => inWhatsapp(`"messages":[${listOf('{"id":"a","type":"text"}', text.length)}]`),
  'an inbound text': (text) =>
    inWhatsapp(`"messages":[{"id":"a","from":"1","type":"text","text":{"body":${JSON.stringify(text)}}}]`),
  nesting: (text) => repeated('{"a":[', text.length),
}

describe('a callback holds the process for less than 50 ms', () => {
  for (const [kind, { settings, headers: headersOf }] of Object.entries(callers)) {
    const account = providerKinds[kind as keyof typeof providerKinds].open(
      { ...settings },
      { ...recordingContext(), isPassive: true },
    ) as Open
    for (const [shape, compose] of Object.entries(bodies)) {
      it(`of ${kind}, with ${shape}`, () => {
        const texts = shape === 'plain text' || shape.startsWith('a') ? everyText(callbackBody / 16) : []
        for (const { what, text } of [{ what: 'the longest', text: repeated('a', callbackBody) }, ...texts]) {
          const body = Buffer.from(compose(text)).subarray(0, callbackBody)
          const request: CallbackRequest = {
            method: 'POST',
            token: null,
            address: '192.0.2.1',
            url: `https://otp.example/hooks/prv_1?${text.slice(0, headers / 2)}`,
            query: {},
            headers: { ...headersOf(body) },
            body,
            nowMs: 0,
          }
          assertPrompt(what, () => account.parseCallback(request))
        }
      })
    }
  }
})
