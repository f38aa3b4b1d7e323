/** What can be called over HTTP: every route and callback in our own OpenAPI, and some in Twilio's form. */
import { openApiDocument } from '@countersign/contract'
import type { Schema } from './values.ts'

interface Parameter {
  readonly name: string
  readonly in: string
  readonly schema?: Schema
}

export interface Operation {
  readonly method: string
  readonly path: string
  readonly parameters: readonly Parameter[]
  readonly body: Schema | null
  readonly contentType: string
  readonly statuses: ReadonlySet<string>
}

export const methods = [
  'get',
  'put',
  'post',
  'delete',
  'patch',
  'head',
  'options',
  'trace',
  'propfind',
  'query',
] as const

// biome-ignore lint/suspicious/noExplicitAny: the document is read by its shape
const document: any = openApiDocument()

export const resolveSchema = (ref: string): Schema =>
  ref
    .slice(2)
    .split('/')
    .reduce((at, name) => at[name.replaceAll('~1', '/')], document)

const described: readonly Operation[] = Object.entries<Record<string, unknown>>(document.paths).flatMap(
  ([path, item]) =>
    Object.entries(item).flatMap(([method, operation]) => {
      if (!methods.some((each) => each === method)) return []
      // biome-ignore lint/suspicious/noExplicitAny: the document is read by its shape
      const { parameters = [], requestBody, responses } = operation as any
      const [contentType = 'application/json', content] =
        Object.entries<{ schema?: Schema }>(requestBody?.content ?? {})[0] ?? []
      const statuses = new Set(Object.keys(responses))
      return [{ method, path, parameters, body: content?.schema ?? null, contentType, statuses }]
    }),
)

const fields = (...names: string[]): Schema => ({
  type: 'object',
  properties: Object.fromEntries(names.map((name) => [name, { type: 'string' }])),
})
const service = '/twilio/v2/Services/{service_sid}'
const twilio: readonly Operation[] = (
  [
    ['get', '/twilio/v2/Services', fields('PageSize', 'Page', 'PageToken')],
    ['get', service, fields()],
    [
      'post',
      `${service}/Verifications`,
      fields('To', 'Channel', 'Locale', 'CustomCode', 'RateLimits', 'CodeLength', 'CustomFriendlyName'),
    ],
    ['get', `${service}/Verifications/{sid}`, fields()],
    ['post', `${service}/Verifications/{sid}`, fields('Status')],
    ['post', `${service}/VerificationCheck`, fields('To', 'Code', 'VerificationSid', 'Amount', 'Payee')],
    [
      'get',
      '/twilio/v2/Attempts',
      fields(
        'DateCreatedAfter',
        'DateCreatedBefore',
        'Country',
        'Channel',
        'Status',
        'PageSize',
        'PageToken',
      ),
    ],
    ['get', '/twilio/v2/Attempts/{sid}', fields()],
  ] as const
).map(([method, path, form]) => ({
  method,
  path,
  parameters:
    method === 'get'
      ? Object.entries(form.properties ?? {}).map(([name, schema]) => ({ name, in: 'query', schema }))
      : [],
  body: method === 'post' ? form : null,
  contentType: 'application/x-www-form-urlencoded',
  statuses: new Set(['200', '201', '402', '409']),
}))

export const operations = [...described, ...twilio]
