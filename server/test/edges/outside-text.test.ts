/** Whatever a caller, a provider, a mail, a list or a customer's endpoint sends, up to its limit, is read at once. */
import assert from 'node:assert/strict'
import { createHash, createHmac } from 'node:crypto'
import { describe, it } from 'node:test'
import { kindsOfProvider, type Operation, operations, problemsOf } from '@countersign/contract'
import { htmlWords } from '../../../simulator/src/wires/smtp/html-words.ts'
import type { CallbackRequest, ProviderAccount } from '../../src/channels/channel.ts'
import { retryAfterSeconds } from '../../src/channels/http-outcome.ts'
import { providerKinds } from '../../src/channels/index.ts'
import { providerError } from '../../src/channels/provider-error.ts'
import { readDeliverSm } from '../../src/channels/smpp/bodies.ts'
import { receiptMessageIds } from '../../src/channels/smpp/message-id.ts'
import { PduReader } from '../../src/channels/smpp/pdu.ts'
import { readReceipt } from '../../src/channels/smpp/receipt.ts'
import { readDeliveryStatus } from '../../src/channels/smtp/delivery-status.ts'
import { failureOutcome } from '../../src/channels/smtp/failure.ts'
import { isPlainAddress } from '../../src/channels/smtp/mail.ts'
import { verifyReturnPath } from '../../src/channels/smtp/return-path.ts'
import { errorOutcome as telegramOutcome } from '../../src/channels/telegram/errors.ts'
import { errorOutcome as twilioOutcome } from '../../src/channels/twilio/errors.ts'
import { errorOutcome as whatsappOutcome } from '../../src/channels/whatsapp/errors.ts'
import { validationError } from '../../src/domain/answers/index.ts'
import { parseClientIp, parseRecipient } from '../../src/domain/guard/index.ts'
import { parseWords } from '../../src/domain/guard/reputation/words.ts'
import { chooseLocale, isLanguageTag, tryMessage } from '../../src/domain/messages/index.ts'
import { parseKeyText } from '../../src/domain/tenancy/key-text.ts'
import { parseRetryAfter } from '../../src/domain/webhooks/schedule.ts'
import { parseJson } from '../../src/http/route.ts'
import { parseId } from '../../src/platform/ids.ts'
import { callerAddress, parseCidr } from '../../src/platform/trusted-proxies.ts'
import { recordingContext } from '../channels/support.ts'
import { fieldsOf, formsOf } from '../harness/body-fields.ts'
import { assertPrompt, lengthsUpTo, repeated, seeds } from './adversary.ts'

const KIB = 1_024
/** What Node lets the headers of a request have, all of them together. */
const headers = 16 * KIB
const apiBody = 64 * KIB
const providerAnswer = 64 * KIB
const callbackBody = 1_024 * KIB
const mail = 256 * KIB
const pdu = 64 * KIB
/** For what has no limit of its own: nothing that long gets in. */
const anything = 1_024 * KIB

const response = (text: string) => ({
  kind: 'response' as const,
  status: 500,
  headers: { 'retry-after': text },
  body: Buffer.alloc(0),
})
const returnPathKey = { domain: 'mail.example', secret: 'a secret of sixteen or more' }
const loopback = [parseCidr('127.0.0.0/8'), parseCidr('::1/128')].filter((cidr) => cidr !== null)

const readers: Readonly<Record<string, { limit: number; read: (text: string) => unknown }>> = {
  'a provider’s error': { limit: anything, read: (text) => providerError('x', text) },
  'an error of Twilio': {
    limit: providerAnswer,
    read: (text) => twilioOutcome(response(text), 21_211, text),
  },
  'an error of WhatsApp': {
    limit: providerAnswer,
    read: (text) => whatsappOutcome(response(text), 100, text),
  },
  'an error of Telegram': { limit: providerAnswer, read: telegramOutcome },
  'a Retry-After of a provider': { limit: anything, read: (text) => retryAfterSeconds(response(text)) },
  'a Retry-After of an endpoint': { limit: anything, read: (text) => parseRetryAfter(text, 0) },
  'a reply of a mail server': {
    limit: anything,
    read: (text) =>
      failureOutcome(
        Object.assign(new Error(), { response: text, responseCode: 550, command: 'RCPT TO' }),
        true,
      ),
  },
  'an address that a report is sent to': {
    limit: anything,
    read: (text) => [
      verifyReturnPath(text, returnPathKey),
      verifyReturnPath(`bounce+${text}`, returnPathKey),
    ],
  },
  'an address that mail goes to': { limit: anything, read: isPlainAddress },
  'a packet of a carrier': { limit: pdu, read: (text) => readBody(Buffer.from(text)) },
  'a stream of a carrier': {
    limit: pdu,
    read: (text) => {
      try {
        new PduReader().push(Buffer.from(text, 'latin1'))
      } catch (error) {
        assert.ok(error instanceof RangeError)
      }
    },
  },
  'a receipt of a carrier': { limit: pdu, read: (text) => readReceipt(receiptOf(text)) },
  'a carrier’s name of a message': { limit: pdu, read: receiptMessageIds },
  'a recipient': { limit: anything, read: parseRecipient },
  'a recipient with a domain': { limit: anything, read: (text) => parseRecipient(`a@${text}`) },
  'a recipient’s local part': { limit: anything, read: (text) => parseRecipient(`${text}@example.com`) },
  'a client_ip': { limit: anything, read: parseClientIp },
  'an address of a list': { limit: anything, read: parseWords },
  'x-forwarded-for': { limit: headers, read: (text) => callerAddress('127.0.0.1', text, loopback) },
  'an id': { limit: anything, read: (text) => parseId('app', text) },
  'a key': { limit: anything, read: parseKeyText },
  'a language': {
    limit: anything,
    read: (text) => [isLanguageTag(text), chooseLocale(text, 'en', new Set())],
  },
  'a body': { limit: apiBody, read: (text) => tryJson(text) },
  'the words of a mail': { limit: anything, read: htmlWords },
}

function tryJson(text: string): void {
  try {
    parseJson(text)
  } catch {
    // A refused text has been read as well.
  }
}

const receiptOf = (text: string) => ({
  esmClass: 4,
  dataCoding: 0,
  message: Buffer.from(`id:1 stat:UNDELIV err:${text}`),
  tlvs: new Map(),
})

function readBody(body: Buffer): void {
  try {
    readReceipt(readDeliverSm(body))
  } catch (error) {
    assert.ok(error instanceof RangeError)
  }
}

const everyText = (limit: number) =>
  seeds.flatMap((seed) =>
    lengthsUpTo(limit).map((length) => ({
      what: `${length} characters of ${JSON.stringify(seed)}`,
      text: repeated(seed, length),
    })),
  )

describe('text from outside holds the process for less than 50 ms', () => {
  for (const [name, { limit, read }] of Object.entries(readers)) {
    it(name, () => {
      for (const { what, text } of everyText(limit)) assertPrompt(what, () => read(text))
    })
  }
})

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
const secret = 'a secret of the account’s own'
type Open = Required<Pick<ProviderAccount, 'parseCallback'>>
/** Signed as the provider would: a company may set an account up with secrets of its own and call itself. */
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
        const texts = shape === 'plain text' || shape.startsWith('a') ? everyText(callbackBody / 2) : []
        for (const { what, text } of [{ what: 'the longest', text: repeated('a', callbackBody) }, ...texts]) {
          const body = Buffer.from(compose(text)).subarray(0, callbackBody)
          const request: CallbackRequest = {
            method: 'POST',
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

/** Every field of a body with every text, and a few shapes that make many mistakes at once. */
function bodiesOf(names: readonly string[], text: string): unknown[] {
  const half = text.slice(0, apiBody / 2)
  return [
    ...names.flatMap((name) => [
      { [name]: half },
      { [name]: [half, ...half.slice(0, 2_000)] },
      { [name]: { [half.slice(0, 1_000)]: half } },
    ]),
    Object.fromEntries(names.map((name) => [name, half.slice(0, 1_000)])),
  ]
}

const manyMistakes = (names: readonly string[]) => {
  const list = Array.from({ length: apiBody / 3 }, () => '')
  const object = Object.fromEntries(Array.from({ length: apiBody / 12 }, (_, index) => [`k${index}`, 0]))
  return [...names.flatMap((name) => [{ [name]: list }, { [name]: object }]), list, object]
}

describe('a body or query holds the process for less than 50 ms', () => {
  for (const [name, operation] of Object.entries<Operation>(operations)) {
    for (const [part, schema] of [['body', operation.body] as const, ['query', operation.query] as const]) {
      if (!schema) continue
      it(`the ${part} of ${name}`, () => {
        const fields = fieldsOf(schema)
        for (const form of new Set([schema, ...formsOf(schema)])) {
          const judge = (value: unknown) => {
            const parsed = form.safeParse(value)
            if (!parsed.success) validationError(parsed.error.issues.flatMap(problemsOf))
          }
          for (const value of manyMistakes(fields)) assertPrompt('many mistakes', () => judge(value))
          for (const seed of seeds) {
            for (const value of bodiesOf(fields, repeated(seed, apiBody))) {
              assertPrompt(JSON.stringify(seed), () => judge(value))
            }
          }
        }
      })
    }
  }

  for (const kind of Object.values(providerKinds)) {
    it(`the settings of an account of ${kind.kind}`, () => {
      const names = Object.keys(kindsOfProvider[kind.kind].fields.shape)
      for (const seed of seeds) {
        for (const value of bodiesOf(names, repeated(seed, apiBody))) {
          assertPrompt(JSON.stringify(seed), () => kind.settings.safeParse(value))
        }
      }
    })
  }

  it('a template of an app', () => {
    for (const seed of seeds) {
      for (const channel of ['sms', 'whatsapp', 'email'] as const) {
        assertPrompt(`${channel}: ${JSON.stringify(seed)}`, () =>
          tryMessage({
            channel,
            locale: 'en',
            template: {
              text: repeated(seed, 4_096),
              subject: repeated(seed, 200),
              html: repeated(seed, 50_000),
            },
            appName: 'ACME',
            codeLength: 6,
            codeTtlSeconds: 600,
            autofill: null,
          }),
        )
      }
    }
  })
})
