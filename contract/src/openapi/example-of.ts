/**
 * An example answer, made from its schema, if none was written. The name of a field says more than its type: an `otp_id` is
 * not just `text`.
 */
import type { JsonObject } from './tidy.ts'

const at = '2026-11-15T17:29:52.826Z'

/** Examples by the name of the field, used if the field's schema accepts them. */
const byName: Readonly<Record<string, string>> = {
  otp_id: 'otp_01m7g448dt1pefhc1g61zsgt4d',
  company_id: 'cmp_01m7ehq4vwaa12qh6s8ghh3y3k',
  app_id: 'app_01m7ehq5149t13egnhx4d81m4w',
  key_id: 'key_01m7ehq56pzgr4ccs5h56pp02a',
  delivery_id: 'dlv_01m7g448dt9adsmcarjtdq4a6q',
  event_id: 'evt_01m7g448dtq7k7y2w6n7t3v5ze',
  endpoint_id: 'whe_01m7g448dtq7k7y2w6n7t3v5zf',
  provider_id: 'prv_01m7g448dtq7k7y2w6n7t3v5zg',
  entry_id: 'led_01m7g448dtq7k7y2w6n7t3v5zh',
  refusal_id: 'ref_01m7g448dtq7k7y2w6n7t3v5zj',
  request_id: 'req_01m7ehq0yq3j48p2r3xsy426gx',
  rule_id: 'rul_01m7g448dtq7k7y2w6n7t3v5zk',
  masked_recipient: '+44****56',
  recipient: '+447400123456',
  country: 'GB',
  currency: 'EUR',
  locale: 'en',
  email: 'kim@example.com',
  client_ip: '81.2.69.142',
  next_cursor: 'eyJhIjoxfQ',
  signing_secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
  url: 'https://shop.example.com/webhooks/countersign',
  name: 'Shop',
  balance: '25.000000',
  amount: '0.050000',
}

const byFormat: Readonly<Record<string, string>> = {
  'date-time': at,
  date: '2026-11-15',
  email: 'kim@example.com',
  uri: 'https://shop.example.com/',
  ipv4: '81.2.69.142',
}

/** Texts to try, in this order, where none of those above fits the pattern. */
const byPattern = ['text', '12.500000', 'GB', 'en', '493817', 'sms', '22:00', '+447400123456']

/** Deeper than any answer; a schema that refers to itself ends there. */
const deepest = 12

type FindSchema = (name: string) => JsonObject

const prefix = '#/components/schemas/'
const objectsIn = (value: unknown): JsonObject[] =>
  Array.isArray(value) ? value.filter((each) => typeof each === 'object' && each !== null) : []
const objectOf = (value: unknown): JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : {}

export function exampleOf(schema: JsonObject, find: FindSchema, name = '', depth = 0): unknown {
  if (depth > deepest) return null
  const again = (one: JsonObject, as = name) => exampleOf(one, find, as, depth + 1)
  const { $ref: reference } = schema
  if (typeof reference === 'string') return again(find(reference.slice(prefix.length)))
  if (isNullable(schema) && oftenNull.test(name)) return null
  const [first] = Array.isArray(schema.examples) ? schema.examples : []
  if (first !== undefined) return first
  if ('const' in schema) return schema.const
  if (Array.isArray(schema.enum)) return schema.enum[0]
  if ('default' in schema) return schema.default
  const [choice] = [...objectsIn(schema.anyOf), ...objectsIn(schema.oneOf)].filter(
    ({ type }) => type !== 'null',
  )
  if (choice) return again(choice)
  if (Array.isArray(schema.allOf))
    return Object.assign({}, ...objectsIn(schema.allOf).map((one) => again(one)))
  switch (typeOf(schema)) {
    case 'object':
      return objectExample(schema, again)
    case 'array':
      return schema.maxItems === 0 ? [] : [again(objectOf(schema.items), name.replace(/s$/, ''))]
    case 'string':
      return textExample(schema, name)
    case 'integer':
    case 'number':
      return numberExample(schema, name)
    case 'boolean':
      return true
    default:
      return null
  }
}

/** Fields that are usually null: no error, no end, no further page. */
const oftenNull = /(?:_at|_until|cursor|error|reason|note)$/
const isNullable = ({ type, anyOf }: JsonObject): boolean =>
  (Array.isArray(type) && type.includes('null')) || objectsIn(anyOf).some((one) => one.type === 'null')

const typeOf = ({ type }: JsonObject): unknown =>
  Array.isArray(type) ? type.find((one) => one !== 'null') : type

/** Only required fields; a record with unknown names is empty. */
function objectExample(schema: JsonObject, again: (schema: JsonObject, name: string) => unknown): JsonObject {
  const required = Array.isArray(schema.required) ? schema.required : []
  return Object.fromEntries(
    Object.entries(objectOf(schema.properties))
      .filter(([name]) => required.includes(name))
      .map(([name, field]) => [name, again(objectOf(field), name)]),
  )
}

function textExample(schema: JsonObject, name: string): string {
  const { pattern, format, minLength = 0, maxLength = Number.POSITIVE_INFINITY } = schema
  const fits = (text: string | undefined): text is string =>
    text !== undefined &&
    (typeof pattern !== 'string' || new RegExp(pattern).test(text)) &&
    text.length >= Number(minLength) &&
    text.length <= Number(maxLength)
  const wanted = [byFormat[String(format)], byName[name], name.endsWith('_at') ? at : undefined, ...byPattern]
  return wanted.find(fits) ?? 'x'.repeat(Math.max(Number(minLength), 1))
}

function numberExample(schema: JsonObject, name: string): number {
  if (typeOf(schema) === 'number' && /share|conversion|ratio/.test(name)) return 0.82
  const { minimum = 0, maximum = Number.POSITIVE_INFINITY } = schema
  return Math.min(Math.max(Number(minimum), 3), Number(maximum))
}
