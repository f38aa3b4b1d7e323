/** Any text from a caller, a provider, a list or a customer's endpoint is read at once, up to its limit. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import {
  parseFoundAt,
  parseHeader,
  parseJsonTemplate,
  parsePairs,
  parsePath,
  parseXml,
} from '@countersign/contract'
import { htmlWords } from '../../../simulator/src/wires/smtp/html-words.ts'
import { compileAnswer, readAnswer } from '../../src/channels/http/answer.ts'
import { compileReceipts, parseCallback } from '../../src/channels/http/callback.ts'
import { gatewayOf } from '../../src/channels/http/settings.ts'
import { retryAfterSeconds } from '../../src/channels/http-outcome.ts'
import { providerError } from '../../src/channels/provider-error.ts'
import { readDeliverSm } from '../../src/channels/smpp/bodies.ts'
import { receiptMessageIds } from '../../src/channels/smpp/message-id.ts'
import { PduReader } from '../../src/channels/smpp/pdu.ts'
import { readReceipt } from '../../src/channels/smpp/receipt.ts'
import { failureOutcome } from '../../src/channels/smtp/failure.ts'
import { isPlainAddress } from '../../src/channels/smtp/mail.ts'
import { verifyReturnPath } from '../../src/channels/smtp/return-path.ts'
import { errorOutcome as telegramOutcome } from '../../src/channels/telegram/errors.ts'
import { errorOutcome as twilioOutcome } from '../../src/channels/twilio/errors.ts'
import { errorOutcome as whatsappOutcome } from '../../src/channels/whatsapp/errors.ts'
import { parseClientIp, parseRecipient } from '../../src/domain/guard/index.ts'
import { parseWords } from '../../src/domain/guard/reputation/words.ts'
import { chooseLocale, isLanguageTag } from '../../src/domain/messages/index.ts'
import { parseKeyText } from '../../src/domain/tenancy/key-text.ts'
import { parseRetryAfter } from '../../src/domain/webhooks/schedule.ts'
import { parseJson } from '../../src/http/parse-json.ts'
import { traceInstead } from '../../src/http/unreadable.ts'
import { parseId } from '../../src/platform/ids.ts'
import { callerAddress, parseCidr } from '../../src/platform/trusted-proxies.ts'
import { assertPrompt, everyText } from './adversary.ts'
import { anything, apiBody, callbackBody, headers, pdu, providerAnswer } from './limits.ts'

const response = (text: string) => ({
  kind: 'response' as const,
  status: 500,
  headers: { 'retry-after': text },
  body: Buffer.alloc(0),
})
const returnPathKey = { domain: 'mail.example', secret: 'a secret of sixteen or more' }
const loopback = [parseCidr('127.0.0.0/8'), parseCidr('::1/128')].filter((cidr) => cidr !== null)

/** As many rows and paths as settings may have, in the slowest form. */
const manyRows = Object.fromEntries(
  Array.from({ length: 100 }, (_, row) => [`*${'a'.repeat(80)}${row}*`, 'failed' as const]),
)
const gateway = gatewayOf({
  base_url: 'https://gateway.example',
  code_at: ['/a', `${'a'.repeat(190)}{}b`],
  message_id_at: [`${'a'.repeat(190)}{}b`],
  error_at: [`${'a'.repeat(190)}{}`],
  codes: { '*a*a*a*b*': 'refused' },
  texts: Object.fromEntries(Object.keys(manyRows).map((key) => [key, 'refused'])),
  receipts: 'addresses',
  receipt_addresses: ['192.0.2.1'],
  receipt_id_at: [`${'a'.repeat(190)}{}b`, '/0'],
  receipt_state_at: [`${'a'.repeat(190)}{}b`, '/0'],
  receipt_states: manyRows,
})
const answers = compileAnswer(gateway)
const receipts = compileReceipts(gateway) ?? assert.fail()
const callbackOf = (text: string, contentType: string) => ({
  method: 'POST' as const,
  url: '',
  query: {},
  token: null,
  address: '192.0.2.1',
  headers: { 'content-type': contentType },
  body: Buffer.from(text),
  nowMs: 0,
})

const readers: Readonly<Record<string, { limit: number; read: (text: string) => unknown }>> = {
  'a provider’s error': { limit: anything, read: (text) => providerError('x', text) },
  'an error of Twilio': {
    limit: providerAnswer,
    read: (text) => twilioOutcome(response(text), 21_211, text),
  },
  'an error of WhatsApp': {
    limit: providerAnswer,
    read: (text) => whatsappOutcome(response(text), { code: 100, message: text }),
  },
  'an error of Telegram': { limit: providerAnswer, read: (text) => telegramOutcome(response(text), text) },
  'a template of any gateway': {
    limit: apiBody,
    read: (text) => [
      parseHeader(text),
      parseJsonTemplate(text),
      parsePairs(text),
      parsePath(`/${text}`),
      parseFoundAt(text),
      parseXml(`<a>${text}</a>`),
      parseXml(`<a b="${text}"/>`),
    ],
  },
  'an answer of any gateway': {
    limit: providerAnswer,
    read: (text) => readAnswer(answers, { ...response(''), body: Buffer.from(text) }),
  },
  'a receipt of any gateway': {
    limit: callbackBody,
    read: (text) =>
      ['application/json', 'application/x-www-form-urlencoded'].map((type) =>
        parseCallback(receipts, callbackOf(text, type)),
      ),
  },
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
  'a call that Node cannot read': { limit: apiBody, read: traceInstead },
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

describe('text from outside holds the process for less than 50 ms', () => {
  for (const [name, { limit, read }] of Object.entries(readers)) {
    it(name, () => {
      for (const { what, text } of everyText(limit)) assertPrompt(what, () => read(text))
    })
  }
})
