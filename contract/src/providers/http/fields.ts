/** The settings of an account of the kind `http`, one by one. */
import { z } from 'zod'
import { bareAddress, secret, setting } from '../setting.ts'
import { HEADER_NAME } from './header-template.ts'
import { presetNames } from './preset-names.ts'

const maxTemplateLength = 10_000
const maxWordsLength = 200
const maxPatternLength = 100
const maxRows = 100
const maxPlaces = 5
const maxNetworks = 50

const words = z.string().min(1).max(maxWordsLength)
const place = z.string().min(1).max(maxWordsLength)
const places = z.array(place).min(1).max(maxPlaces)
/** `*` stands for any text; upper and lower case are alike. */
const pattern = z.string().min(1).max(maxPatternLength)

const table = <Value extends z.ZodType<string>>(key: z.ZodString, value: Value) =>
  z.record(key, value).refine((rows) => Object.keys(rows).length <= maxRows, `has at most ${maxRows} rows`)

const gatewayOutcome = z.enum(['accepted', 'refused', 'unreachable', 'retry', 'busy', 'broken', 'uncertain'])
export type GatewayOutcome = z.infer<typeof gatewayOutcome>

const receiptState = z.enum(['delivered', 'failed', 'unreachable', 'ignored'])
export type ReceiptState = z.infer<typeof receiptState>

const outcomes = 'accepted, refused, unreachable, retry, busy, broken or uncertain'

/** Where the request goes, and how it authenticates. */
const request = {
  preset: setting(z.enum(presetNames), {
    title: 'Gateway',
    description: 'A known gateway. Your own settings override the preset’s.',
    'x-destination': 'place',
    'x-rare': true,
  }).optional(),
  base_url: setting(bareAddress, {
    title: 'Address of the API',
    description: 'Up to the path. It has no values in it, so that credentials go to one host.',
    examples: ['https://api.gateway.example'],
    'x-destination': 'place',
  }).optional(),
  path: setting(z.string().max(maxTemplateLength), {
    title: 'Path and query',
    description: 'May contain values: {to}, {to_digits}, {from}, {text}, {code}, {account} and others.',
    examples: ['/v1/messages?to={to_digits}'],
    'x-destination': 'place',
  }).optional(),
  method: setting(z.enum(['POST', 'GET', 'PUT']), { title: 'Method' }).optional(),
  auth: setting(z.enum(['none', 'basic', 'bearer', 'header', 'query', 'body', 'aws']), {
    title: 'Authentication',
    description: 'How the secret is sent to the gateway.',
    'x-destination': 'place',
  }).optional(),
  auth_name: setting(z.string().regex(HEADER_NAME, 'must be a name of letters, digits and -_.'), {
    title: 'Name of the secret’s header or field',
    description: 'Where the secret goes in a header, the query or the body.',
    examples: ['X-Api-Key'],
    'x-destination': 'place',
  }).optional(),
  auth_prefix: setting(
    z
      .string()
      .max(50)
      .regex(/^[\x20-\x7e]*$/, 'must have plain characters only'),
    {
      title: 'Prefix of the secret',
      description: 'In a header, including its space.',
      examples: ['App '],
      'x-destination': 'place',
      'x-rare': true,
    },
  ).optional(),
  user: setting(words, { title: 'User', description: 'For Basic, or what {user} stands for.' }).optional(),
  secret: setting(secret, {
    title: 'Secret',
    description: 'The password, key or token.',
    writeOnly: true,
    'x-destination': 'credential',
  }).optional(),
  account: setting(words, { title: 'Account', description: 'What {account} stands for.' }).optional(),
  from: setting(words, {
    title: 'Sender',
    description: 'What {from} stands for.',
    examples: ['Shop'],
  }).optional(),
  headers: setting(table(z.string().regex(HEADER_NAME, 'is no name of a header'), z.string().max(2_000)), {
    title: 'Headers',
    description: 'May contain values such as {text}.',
    examples: [{ 'X-Request-Id': '{delivery_id}' }],
    'x-rare': true,
  }).optional(),
  body_type: setting(z.enum(['json', 'form', 'xml', 'none']), { title: 'Body type' }).optional(),
  body: setting(z.string().max(maxTemplateLength), {
    title: 'Body',
    description:
      'As the gateway’s documentation has it, with values in it. A value cannot break out of its place.',
    examples: ['{"to": "{to}", "from": "{from}", "text": "{text}"}'],
    contentMediaType: 'text/plain',
  }).optional(),
  when_unicode: setting(z.string().max(50), {
    title: '{unicode} for a text beyond GSM-7',
    examples: ['true'],
    'x-rare': true,
  }).optional(),
  when_plain: setting(z.string().max(50), {
    title: '{unicode} for a GSM-7 text',
    examples: ['false'],
    'x-rare': true,
  }).optional(),
  shortest_ttl_s: setting(z.int().min(1).max(3_600), {
    title: 'Shortest lifetime',
    description: 'In seconds, where the gateway refuses a shorter one.',
    'x-rare': true,
  }).optional(),
  region: setting(z.string().regex(/^[a-z0-9-]{1,40}$/, 'must be a region such as eu-west-1'), {
    title: 'Region',
    description: 'For Amazon. If empty, it is taken from the address.',
    'x-rare': true,
  }).optional(),
}

/** How the gateway's answer is read. */
const answer = {
  message_id_at: setting(places, {
    title: 'Where the message’s id is',
    description: 'In the answer: /a/JSON/pointer, header:name, or <id>{}</id>.',
    examples: [['/messages/0/id']],
  }).optional(),
  code_at: setting(places, {
    title: 'Where the answer’s code is',
    description: 'The first place that has a value counts.',
    examples: [['/messages/0/status']],
  }).optional(),
  codes: setting(table(pattern, gatewayOutcome), {
    title: 'What codes mean',
    description: `A code, in which * is any text, and ${outcomes}.`,
    examples: [{ '0': 'accepted', '*': 'refused' }],
  }).optional(),
  texts: setting(table(pattern, gatewayOutcome), {
    title: 'What answers mean by their text',
    description: `A text, in which * is any text, and ${outcomes}.`,
    examples: [{ 'OK*': 'accepted', '*insufficient credit*': 'broken' }],
    'x-rare': true,
  }).optional(),
  statuses: setting(
    table(z.string().regex(/^[1-5](?:\d\d|xx)$/, 'is a status such as 402 or 4xx'), gatewayOutcome),
    {
      title: 'What HTTP statuses mean',
      description: `A status such as 402 or 4xx, and ${outcomes}. Left empty, the usual.`,
      examples: [{ '402': 'broken', '5xx': 'retry' }],
      'x-rare': true,
    },
  ).optional(),
  error_at: setting(places, {
    title: 'Where the error message is',
    examples: [['/error/message']],
    'x-rare': true,
  }).optional(),
}

/** How receipts come in and are recognised. */
const receipts = {
  receipts: setting(z.enum(['none', 'path', 'hmac', 'addresses']), {
    title: 'Receipts',
    description:
      'By callback: recognised by a secret in the path, by an HMAC of the body, or by where they come from.',
  }).optional(),
  receipt_secret: setting(secret, {
    title: 'Secret for receipts',
    description: 'For HMAC. For the path one is made for you.',
    writeOnly: true,
  }).optional(),
  receipt_header: setting(z.string().regex(HEADER_NAME, 'must be the name of a header'), {
    title: 'Header with the signature',
    examples: ['X-Signature'],
    'x-rare': true,
  }).optional(),
  receipt_algorithm: setting(z.enum(['sha256', 'sha1', 'sha512']), {
    title: 'Hash algorithm of the signature',
    'x-rare': true,
  }).optional(),
  receipt_encoding: setting(z.enum(['hex', 'base64']), {
    title: 'Encoding of the signature',
    'x-rare': true,
  }).optional(),
  receipt_prefix: setting(z.string().max(50), {
    title: 'Prefix of the signature',
    examples: ['sha256='],
    'x-rare': true,
  }).optional(),
  receipt_signed: setting(
    z.enum(['{body}', '{body}{timestamp}', '{timestamp}{body}', '{timestamp}.{body}']),
    {
      title: 'What is signed',
      'x-rare': true,
    },
  ).optional(),
  receipt_timestamp_header: setting(z.string().regex(HEADER_NAME, 'must be the name of a header'), {
    title: 'Header with the time',
    description: 'In seconds; five minutes old at most.',
    'x-rare': true,
  }).optional(),
  receipt_addresses: setting(z.array(z.string().min(2).max(60)).min(1).max(maxNetworks), {
    title: 'Where receipts come from',
    description: 'Addresses or networks.',
    examples: [['192.0.2.0/24']],
    'x-rare': true,
  }).optional(),
  receipt_list: setting(z.string().max(maxWordsLength), {
    title: 'Where the list of receipts is',
    description: 'A JSON pointer, where a callback brings several.',
    examples: ['/results'],
    'x-rare': true,
  }).optional(),
  receipt_id_at: setting(places, {
    title: 'Where a receipt has the message’s id',
    examples: [['/id']],
  }).optional(),
  receipt_delivery_at: setting(places, {
    title: 'Where a receipt has our {delivery_id}',
    'x-rare': true,
  }).optional(),
  receipt_state_at: setting(places, {
    title: 'Where a receipt has the state',
    examples: [['/status']],
  }).optional(),
  receipt_states: setting(table(pattern, receiptState), {
    title: 'What states mean',
    description: 'A state, in which * is any text, and delivered, failed, unreachable or ignored.',
    examples: [{ delivered: 'delivered', failed: 'failed' }],
  }).optional(),
  receipt_error_at: setting(places, {
    title: 'Where a receipt has the error’s code',
    'x-rare': true,
  }).optional(),
  receipt_errors: setting(table(pattern, z.enum(['failed', 'unreachable'])), {
    title: 'What errors of receipts mean',
    description: 'A code, and failed or unreachable.',
    'x-rare': true,
  }).optional(),
}

export const httpFields = z.strictObject({ ...request, ...answer, ...receipts })
export type HttpSettings = z.infer<typeof httpFields>
