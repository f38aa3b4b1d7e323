/** The complete settings of a gateway: what is written, then the preset, then the defaults. */
import { type HttpSettings, httpFields } from './fields.ts'
import { parseFoundAt, parsePointer } from './found-at.ts'
import { isFraming, isHeaderTaken, parseHeader } from './header-template.ts'
import { parseJsonTemplate } from './json-template.ts'
import { parsePairs } from './pairs-template.ts'
import { parsePath } from './path-template.ts'
import { presets } from './presets.ts'
import type { Parsed } from './template.ts'
import { parseXml } from './xml-template.ts'

const usual = {
  path: '',
  method: 'POST',
  auth: 'none',
  auth_prefix: '',
  body_type: 'json',
  when_unicode: 'true',
  when_plain: 'false',
  receipts: 'none',
  receipt_algorithm: 'sha256',
  receipt_encoding: 'hex',
  receipt_prefix: '',
  receipt_signed: '{body}',
  receipt_list: '',
} as const satisfies HttpSettings

/** The settings that decide how an account works. */
export type Gateway = Given<HttpSettings> & {
  readonly [Name in keyof typeof usual]: NonNullable<HttpSettings[Name]>
}

type Given<Settings> = { readonly [Name in keyof Settings]?: Exclude<Settings[Name], undefined> }

export function gatewayOf({ preset, ...written }: HttpSettings): Gateway {
  const known = preset === undefined ? {} : presets[preset].settings
  return { ...usual, ...given(known), ...given(written) }
}

/** The settings without undefined values, so that these do not override the preset or the defaults. */
const given = (settings: HttpSettings) =>
  Object.fromEntries(
    Object.entries(settings).filter(([, value]) => value !== undefined),
  ) as Given<HttpSettings>

type Problem = readonly [name: keyof HttpSettings | readonly [keyof HttpSettings, string], message: string]

/** Rules between settings apply to the complete settings, not only to what was written. */
export const httpSettings = httpFields.check((context) => {
  for (const [name, message] of problemsOf(gatewayOf(context.value))) {
    const path = typeof name === 'string' ? [name] : [...name]
    context.issues.push({ code: 'custom', message, path, input: context.value })
  }
})

const problemsOf = (gateway: Gateway): readonly Problem[] => [
  ...problemsOfAddress(gateway),
  ...problemsOfAuth(gateway),
  ...problemsOfBody(gateway),
  ...problemsOfAnswer(gateway),
  ...problemsOfReceipts(gateway),
]

const problemOf = <Name extends Problem[0]>(name: Name, parsed: Parsed<unknown>): Problem[] =>
  'problem' in parsed ? [[name, parsed.problem]] : []

const neededBy = (why: string, name: keyof HttpSettings, value: unknown): Problem[] =>
  value === undefined ? [[name, `is required for ${why}`]] : []

function problemsOfAddress(gateway: Gateway): Problem[] {
  const headers = Object.entries(gateway.headers ?? {})
  return [
    ...(gateway.base_url === undefined ? [['base_url', 'is required'] as const] : []),
    // Nothing would be put in their place, so they would be sent as they are.
    ...(gateway.base_url?.includes('{')
      ? [['base_url', 'has no values: put them into `path`'] as const]
      : []),
    ...problemOf('path', parsePath(gateway.path)),
    ...headers.flatMap(([name, value]) =>
      isHeaderTaken(name)
        ? [[['headers', name], 'is made by the service: a credential is given as `secret`'] as const]
        : problemOf(['headers', name], parseHeader(value)),
    ),
  ]
}

const PRINTABLE = /^[\x20-\x7e]+$/

function problemsOfAuth({ auth, auth_name, user, secret, body_type }: Gateway): Problem[] {
  if (auth === 'none') return []
  const isHeader = auth === 'bearer' || auth === 'header'
  return [
    ...neededBy(auth, 'secret', secret),
    ...(auth === 'basic' || auth === 'aws' ? neededBy(auth, 'user', user) : []),
    ...(auth === 'basic' && user?.includes(':') ? [['user', 'has no colon'] as const] : []),
    ...(auth === 'header' || auth === 'query' || auth === 'body'
      ? neededBy(auth, 'auth_name', auth_name)
      : []),
    ...(auth === 'header' && auth_name !== undefined && isFraming(auth_name)
      ? [['auth_name', 'is a header that the service makes'] as const]
      : []),
    ...(isHeader && secret !== undefined && !PRINTABLE.test(secret)
      ? [['secret', 'has characters that a header cannot hold'] as const]
      : []),
    ...(auth === 'body' && body_type !== 'json' && body_type !== 'form'
      ? [['auth', 'goes into the body of a form or of JSON only'] as const]
      : []),
  ]
}

function problemsOfBody({ method, auth, body_type, body }: Gateway): Problem[] {
  if (body_type === 'none' || method === 'GET') {
    if (auth === 'body') return [['auth', 'needs a body']]
    return body === undefined ? [] : [['body', method === 'GET' ? 'is not sent by GET' : 'is none']]
  }
  if (body === undefined) return [['body', 'is required, unless `body_type` is none']]
  if (body_type === 'form') return problemOf('body', parsePairs(body))
  if (body_type === 'xml') return problemOf('body', parseXml(body))
  const parsed = parseJsonTemplate(body)
  if ('result' in parsed && parsed.result.kind !== 'object' && auth === 'body')
    return [['body', 'must be a JSON object, so that the secret can be put into it']]
  return problemOf('body', parsed)
}

type FoundAtName = 'message_id_at' | 'code_at' | 'error_at'
type ReceiptFoundAtName = 'receipt_id_at' | 'receipt_delivery_at' | 'receipt_state_at' | 'receipt_error_at'

const problemsOfFoundAt = (
  gateway: Gateway,
  names: readonly (FoundAtName | ReceiptFoundAtName)[],
): Problem[] =>
  names.flatMap((name) => (gateway[name] ?? []).flatMap((text) => problemOf(name, parseFoundAt(text))))

function problemsOfAnswer(gateway: Gateway): Problem[] {
  const { codes, code_at } = gateway
  return [
    ...problemsOfFoundAt(gateway, ['message_id_at', 'code_at', 'error_at']),
    ...(codes === undefined ? [] : neededBy('`codes`', 'code_at', code_at)),
  ]
}

const ADDRESS = /^[0-9A-Fa-f.:]{2,45}(?:\/\d{1,3})?$/

function problemsOfReceipts(gateway: Gateway): Problem[] {
  const { receipts, receipt_addresses = [] } = gateway
  if (receipts === 'none') return []
  const { receipt_id_at, receipt_delivery_at, receipt_signed, receipt_timestamp_header } = gateway
  return [
    ...neededBy('`receipts`', 'receipt_state_at', gateway.receipt_state_at),
    ...neededBy('`receipts`', 'receipt_states', gateway.receipt_states),
    ...neededBy('`receipts`', 'receipt_id_at', receipt_id_at ?? receipt_delivery_at),
    ...problemsOfFoundAt(gateway, [
      'receipt_id_at',
      'receipt_delivery_at',
      'receipt_state_at',
      'receipt_error_at',
    ]),
    ...problemOf('receipt_list', parsePointer(gateway.receipt_list)),
    ...(receipts === 'hmac' ? neededBy('hmac', 'receipt_header', gateway.receipt_header) : []),
    ...(receipts === 'hmac' ? neededBy('hmac', 'receipt_secret', gateway.receipt_secret) : []),
    ...(receipts === 'hmac' && receipt_signed !== '{body}'
      ? neededBy('`receipt_signed`', 'receipt_timestamp_header', receipt_timestamp_header)
      : []),
    ...(receipts === 'addresses' && receipt_addresses.length === 0
      ? neededBy('addresses', 'receipt_addresses', undefined)
      : []),
    ...receipt_addresses
      .filter((address) => !ADDRESS.test(address))
      .map((address) => ['receipt_addresses', `has ${address}, which is no address or network`] as const),
  ]
}
