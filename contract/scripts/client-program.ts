// Compiled by check-openapi.ts against types that are generated from the document: never run.
import createClient from 'openapi-fetch'
import type { components, operations, paths } from './api.ts'

type Json<Call> = Call extends { content: { 'application/json': infer Body } } ? Body : never
type NewProvider = components['schemas']['NewProvider']
type ProviderChange = Json<paths['/manage/v1/providers/{provider_id}']['patch']['requestBody']>
type Provider = components['schemas']['Provider']

const client = createClient<paths>({ baseUrl: 'https://otp.example.com' })

/** A whole verification, as a backend runs it. */
export async function verifyNumber(
  recipient: string,
  code: string,
): Promise<components['schemas']['OtpStatus']> {
  const sent = await client.POST('/api/v1/otp/send', {
    body: { recipient, client_ip: null },
    params: { header: { 'idempotency-key': 'signup-4711' } },
  })
  if (!sent.data) {
    const { type, details } = sent.error.error
    throw new Error(`${type}: ${details.retry_after ?? 0} s, ${details.fields?.[0]?.path ?? 'no field'}`)
  }
  const { otp_id, action_url } = sent.data
  const link: string | null = action_url
  await client.POST('/api/v1/otp/resend', { body: { otp_id, channel: 'whatsapp' } })
  const { data } = await client.POST('/api/v1/otp/verify', { body: { otp_id, code } })
  const status = await client.GET('/api/v1/otp/{otp_id}', { params: { path: { otp_id } } })
  return data?.matched ? data.status : (status.data?.status ?? (link ? 'pending' : 'failed'))
}
// @ts-expect-error: send takes no channel
export const named: components['schemas']['SendBody'] = { recipient: '+447400123456', channel: 'sms' }

/** Null is accepted at any depth, and restores a default. */
export const defaults: operations['updateApp']['requestBody'] = {
  content: {
    'application/json': { code_length: null, routing: { countries: { BR: null } }, limits: { ip: null } },
  },
}

/** The payload of a webhook has the type that belongs to the event's `type`. */
export function outcomeOf(event: components['schemas']['OtpApprovedEvent' | 'DeliveryFailedEvent']): string {
  return event.type === 'otp.approved' ? event.payload.otp_id : event.payload.delivery_id
}

const settings: components['schemas']['SmppSettings'] = {
  host: 'smpp.carrier.example',
  system_id: 'shop',
  password: 'secret12',
  source_addr: 'Shop',
}
export const smpp: NewProvider = { channel: 'sms', kind: 'smpp', settings, countries: ['GB'], priority: 10 }
export const whatsapp: NewProvider = {
  channel: 'whatsapp',
  kind: 'whatsapp',
  settings: {
    phone_number_id: '1',
    number: '+15551234567',
    access_token: 'a',
    app_secret: 'b',
    verify_token: 'c',
    template_name: 'code',
    template_languages: { en: 'en_US' },
  },
}
export const gateway: NewProvider = {
  channel: 'sms',
  kind: 'http',
  settings: { preset: 'vonage', user: 'a', secret: 'b', codes: { 0: 'accepted', '*': 'refused' } },
}
// @ts-expect-error: no such outcome
export const outcome: NewProvider = { channel: 'sms', kind: 'http', settings: { codes: { 0: 'perhaps' } } }

// @ts-expect-error: the channel is that of the kind
export const otherChannel: NewProvider = { channel: 'email', kind: 'smpp', settings }
// @ts-expect-error: the settings are those of the kind
export const otherSettings: NewProvider = { channel: 'telegram', kind: 'telegram', settings }
// @ts-expect-error: a token is needed
export const missing: NewProvider = { channel: 'telegram', kind: 'telegram', settings: {} }

export const change: ProviderChange = { settings: { host: 'other.example', password: 'again', tls_ca: null } }
// @ts-expect-error: a host cannot be taken away
export const taken: ProviderChange = { settings: { host: null } }

export function placeOf(provider: Provider): string {
  switch (provider.kind) {
    case 'smpp':
    case 'smtp':
      return `${provider.settings.host}:${provider.settings.port}`
    case 'http':
      return provider.settings.base_url ?? `that of ${provider.settings.preset}`
    default:
      return provider.settings.base_url
  }
}
export const secretOf = (provider: Extract<Provider, { kind: 'telegram' }>) =>
  // @ts-expect-error: credentials are never read back
  provider.settings.token
