/** What a call takes besides its body. */
import type { Operation } from '../operation.ts'
import type { Schemas } from './schemas.ts'
import type { JsonObject } from './tidy.ts'

/** Ids in paths. None has a pattern, since an unknown one is answered as not found. */
const ids: Readonly<Record<string, readonly [description: string, example: string]>> = {
  otp_id: ['The verification.', 'otp_01m7g448dt1pefhc1g61zsgt4d'],
  company_id: ['The company.', 'cmp_01m7ehq4vwaa12qh6s8ghh3y3k'],
  app_id: ['The app.', 'app_01m7ehnp3sx2k8a4c1v9t6r5qd'],
  key_id: ['The key, not what is sent with calls.', 'key_01m7ehq56pzgr4ccs5h56pp02a'],
  provider_id: ['The provider account.', 'prv_01m7ehq5x0b7m2n4q8s1w3y5ze'],
  endpoint_id: ['The webhook endpoint.', 'end_01m7ehq5x0b7m2n4q8s1w3y5ze'],
  event_id: ['The event.', 'evt_01m7em6n235stx0gt53p0k723w'],
  block_id: ['The block.', 'blk_01m7ehq5x0b7m2n4q8s1w3y5ze'],
  exception_id: ['The exception.', 'exc_01m7ehq5x0b7m2n4q8s1w3y5ze'],
  person_id: ['The person.', 'usr_01m7ehq5x0b7m2n4q8s1w3y5ze'],
  invitation_id: ['The invitation.', 'inv_01m7ehq5x0b7m2n4q8s1w3y5ze'],
  session_id: ['The session.', 'ses_01m7ehq5x0b7m2n4q8s1w3y5ze'],
  passkey_id: ['The passkey.', 'psk_01m7ehq5x0b7m2n4q8s1w3y5ze'],
  link_id: ['The link.', 'lnk_01m7ehq5x0b7m2n4q8s1w3y5ze'],
  revision: ['The number of the revision.', '3'],
  token: ['Made by the service; a part of the address that the provider is told.', 'of the callback'],
}

export function pathParameter(name: string): JsonObject {
  const [description = 'An id.', example] = ids[name] ?? []
  return {
    name,
    in: 'path',
    required: true,
    description,
    schema: { type: 'string' },
    ...(example ? { example } : {}),
  }
}

/** Descriptions of the query parameters that lists share. */
const listWords: Readonly<Record<string, string>> = {
  limit: 'How many rows a page has at most.',
  cursor: '`next_cursor` of the page before.',
  from: 'At this time or later.',
  to: 'Before this time.',
  by: 'What the figures are broken down by.',
  status: 'Only those in this state.',
  channel: 'Only this channel.',
  country: 'Only this country.',
  type: 'Only this type.',
  otp_id: 'Only this verification.',
  endpoint_id: 'Only this webhook endpoint.',
  company_id: 'The company whose they are; without it, the operator’s own.',
  key_id: 'Only calls with this key.',
  endpoint: 'Only this endpoint.',
  request_id: 'The request whose answer had this `X-Request-Id`.',
}

function inQuery(operation: Operation, schemaOf: Schemas['schemaOf']): JsonObject[] {
  if (!operation.query) return []
  const { properties, required } = schemaOf(operation.query, 'input')
  const needed = Array.isArray(required) ? required : []
  return Object.entries(properties ?? {}).map(([name, schema]) => {
    const { description = listWords[name], ...rest }: JsonObject = { ...schema }
    return {
      name,
      in: 'query',
      required: needed.includes(name),
      ...(description ? { description } : {}),
      schema: rest,
    }
  })
}

/** Of every call that takes one without saying more about it. */
const onceHeader = {
  'idempotency-key':
    'At most 128 characters. A repeat within 24 hours changes nothing more and gets the first answer again. It counts for one caller, one operation and one path, and with another body or query it is refused. An empty one is none, and two of them are refused.',
}

export const parametersOf = (operation: Operation, schemaOf: Schemas['schemaOf']): JsonObject[] => [
  ...[...operation.path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => pathParameter(name)),
  ...inQuery(operation, schemaOf),
  ...Object.entries(operation.headers ?? (operation.isOnce ? onceHeader : {})).map(([name, description]) => ({
    name,
    in: 'header',
    required: false,
    description,
    schema: { type: 'string', maxLength: 128 },
    example: operation.isOnce ? 'credit-2026-11-4711' : 'signup-4711',
  })),
]
