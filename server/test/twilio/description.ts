/**
 * What Twilio's description of Verify v2 (github.com/twilio/twilio-oai, spec/json/twilio_verify_v2.json) says about the
 * answers that we give: their fields, types, which may be null, patterns and allowed words. Compared field by field
 * with the version of April 2026.
 */
import assert from 'node:assert/strict'

interface Field {
  readonly is: 'string' | 'integer' | 'boolean' | 'array' | 'object' | 'anything'
  readonly isNullable?: true
  readonly pattern?: RegExp
  readonly words?: readonly string[]
}
type Resource = Readonly<Record<string, Field>>

const sid = (prefix: string): Field => ({
  is: 'string',
  isNullable: true,
  pattern: new RegExp(`^${prefix}[0-9a-fA-F]{32}$`),
})
const text: Field = { is: 'string', isNullable: true }
const flag: Field = { is: 'boolean', isNullable: true }
const anything: Field = { is: 'anything', isNullable: true }
const list: Field = { is: 'array', isNullable: true }
const dateTime: Field = { is: 'string', isNullable: true, pattern: /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/ }
const address: Field = { is: 'string', isNullable: true, pattern: /^https?:\/\/\S+$/ }

const channels = ['sms', 'call', 'email', 'whatsapp', 'sna']
const statuses = ['pending', 'approved', 'canceled', 'max_attempts_reached', 'deleted', 'failed', 'expired']

const shared: Resource = {
  sid: sid('VE'),
  service_sid: sid('VA'),
  account_sid: sid('AC'),
  to: text,
  channel: { is: 'string', words: channels },
  status: { is: 'string', isNullable: true, words: statuses },
  valid: flag,
  amount: text,
  payee: text,
  date_created: dateTime,
  date_updated: dateTime,
}

const verification: Resource = {
  ...shared,
  lookup: anything,
  send_code_attempts: list,
  sna: anything,
  url: address,
}
const check: Resource = { ...shared, sna_attempts_error_codes: list }

const attempt: Resource = {
  sid: sid('VL'),
  account_sid: sid('AC'),
  service_sid: sid('VA'),
  verification_sid: sid('VE'),
  date_created: dateTime,
  date_updated: dateTime,
  conversion_status: { is: 'string', words: ['converted', 'unconverted'] },
  channel: { is: 'string', words: ['sms', 'call', 'email', 'whatsapp', 'rbm'] },
  price: anything,
  channel_data: anything,
  url: address,
}

const service: Resource = {
  sid: sid('VA'),
  account_sid: sid('AC'),
  friendly_name: text,
  code_length: { is: 'integer' },
  lookup_enabled: flag,
  psd2_enabled: flag,
  skip_sms_to_landlines: flag,
  dtmf_input_required: flag,
  tts_name: text,
  do_not_share_warning_enabled: flag,
  custom_code_enabled: flag,
  push: anything,
  totp: anything,
  default_template_sid: sid('HJ'),
  whatsapp: anything,
  passkeys: anything,
  verify_event_subscription_enabled: flag,
  date_created: dateTime,
  date_updated: dateTime,
  url: address,
  links: { is: 'object', isNullable: true },
}

const meta: Resource = {
  key: { is: 'string' },
  page: { is: 'integer' },
  page_size: { is: 'integer' },
  first_page_url: { is: 'string', pattern: /^https?:\/\/\S+$/ },
  previous_page_url: address,
  url: { is: 'string', pattern: /^https?:\/\/\S+$/ },
  next_page_url: address,
}

const error: Resource = {
  code: { is: 'integer' },
  message: { is: 'string' },
  more_info: { is: 'string', pattern: /^https:\/\/www\.twilio\.com\/docs\/errors\/\d+$/ },
  status: { is: 'integer' },
}

const hasType: Readonly<Record<Field['is'], (value: unknown) => boolean>> = {
  string: (value) => typeof value === 'string',
  integer: Number.isInteger,
  boolean: (value) => typeof value === 'boolean',
  array: Array.isArray,
  object: (value) => typeof value === 'object' && !Array.isArray(value),
  anything: () => true,
}

type Body = Readonly<Record<string, unknown>>

/** All described fields are there, and no others. */
function assertFits(body: Body, resource: Resource): void {
  assert.deepEqual(Object.keys(body).sort(), Object.keys(resource).sort())
  for (const [name, { is, isNullable, pattern, words }] of Object.entries(resource)) {
    const value = body[name]
    if (value === null && isNullable) continue
    assert.ok(value !== null && hasType[is](value), `${name} is ${JSON.stringify(value)}`)
    if (pattern) assert.match(String(value), pattern, name)
    if (words) assert.ok(words.includes(String(value)), `${name} is ${value}`)
  }
}

const list200 = (key: string, resource: Resource) => (body: Body) => {
  assert.deepEqual(Object.keys(body).sort(), [key, 'meta'].sort())
  assertFits(body.meta as Body, meta)
  for (const row of body[key] as Body[]) assertFits(row, resource)
}
const one = (resource: Resource) => (body: Body) => assertFits(body, resource)

interface Described {
  readonly method: 'GET' | 'POST'
  readonly path: RegExp
  readonly statuses: readonly number[]
  readonly fits: (body: Body) => void
}

const answers: readonly Described[] = [
  { method: 'GET', path: /\/v2\/Services$/, statuses: [200], fits: list200('services', service) },
  { method: 'GET', path: /\/v2\/Services\/[^/]+$/, statuses: [200], fits: one(service) },
  { method: 'POST', path: /\/Verifications$/, statuses: [201], fits: one(verification) },
  { method: 'GET', path: /\/Verifications\/[^/]+$/, statuses: [200], fits: one(verification) },
  { method: 'POST', path: /\/Verifications\/[^/]+$/, statuses: [200], fits: one(verification) },
  { method: 'POST', path: /\/VerificationCheck$/, statuses: [200, 201], fits: one(check) },
  { method: 'GET', path: /\/v2\/Attempts$/, statuses: [200], fits: list200('attempts', attempt) },
  { method: 'GET', path: /\/v2\/Attempts\/[^/]+$/, statuses: [200], fits: one(attempt) },
]

export function assertDescribed(method: string, url: string, status: number, body: unknown): void {
  if (status >= 400) {
    assertFits(body as Body, error)
    assert.equal((body as Body).status, status)
    return
  }
  const { pathname } = new URL(url)
  const described = answers.find((each) => each.method === method.toUpperCase() && each.path.test(pathname))
  assert.ok(described, `${method} ${pathname} is not described`)
  assert.ok(described.statuses.includes(status), `${method} ${pathname} is ${status}`)
  described.fits(body as Body)
}
