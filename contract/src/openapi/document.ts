/** OpenAPI 3.1, from the same schemas that validate. */
import { errorBody } from '../errors/errors.ts'
import type { Access, Operation } from '../operation.ts'
import { operations } from '../operations.ts'
import { callbacks } from './callbacks.ts'
import { eventSection } from './events.ts'
import { exampleOf } from './example-of.ts'
import { operationExamples } from './examples.ts'
import { health } from './health.ts'
import { operationWords } from './operation-words.ts'
import { parametersOf } from './parameters.ts'
import { errorExamples, leastRole, responsesOf } from './responses.ts'
import { createSchemas, type Schemas } from './schemas.ts'
import { signingKeys } from './signing-keys.ts'
import { tagOf, tagsAmong } from './tags.ts'
import type { JsonObject } from './tidy.ts'

const byPersonOrToken = [{ session: [] }, { operator: [] }]
const securityOf: Readonly<Record<Access, readonly JsonObject[]>> = {
  public: [],
  key: [{ key: [] }],
  server_key: [{ serverKey: [] }],
  session: [{ session: [] }],
  signed_in: byPersonOrToken,
  viewer: byPersonOrToken,
  developer: byPersonOrToken,
  owner: byPersonOrToken,
  operator: byPersonOrToken,
}

const accessWords: Readonly<Record<Access, string>> = {
  public: 'Anybody may call it.',
  key: 'Needs a server key or a publishable key.',
  server_key: 'Needs a server key.',
  session: 'For a person who is signed in.',
  signed_in: 'For a person who is signed in, or with the operator’s token.',
  viewer: 'For every member of the company, or with the operator’s token.',
  developer: 'For developers and owners of the company, or with the operator’s token.',
  owner: 'For owners of the company, or with the operator’s token.',
  operator: 'For operators.',
}

/** The description that was written for the operation, and what follows from its entry in the table. */
function descriptionOf(name: string, operation: Operation): string {
  const own = Object.entries(operationWords).find(([known]) => known === name)?.[1]
  return [
    ...(own ? [own] : []),
    accessWords[operation.access],
    ...(operation.isFresh ? ['A person must have proven within ten minutes who they are.'] : []),
    ...(operation.csv ? ['With `Accept: text/csv` the list comes as a file.'] : []),
  ].join(' ')
}

function describe(name: string, operation: Operation, schemas: Schemas): JsonObject {
  const list = parametersOf(operation, schemas.schemaOf)
  const body = operation.shownBody ?? operation.body
  const example = Object.entries(operationExamples).find(([known]) => known === name)?.[1]
  return {
    operationId: name,
    summary: operation.summary,
    description: descriptionOf(name, operation),
    tags: [tagOf(operation.path)],
    security: securityOf[operation.access],
    ...(leastRole.has(operation.access) ? { 'x-least-role': operation.access } : {}),
    ...(operation.isFresh ? { 'x-fresh-sign-in': true } : {}),
    ...(list.length > 0 ? { parameters: list } : {}),
    ...(body
      ? {
          requestBody: {
            required: true,
            content: {
              'application/json': {
                schema: schemas.namedSchemaOf(body, 'input', name),
                ...(example?.body === undefined ? {} : { example: example.body }),
              },
            },
          },
        }
      : {}),
    responses: responsesOf(name, operation, schemas, example?.answer),
  }
}

const securitySchemes = {
  key: {
    type: 'http',
    scheme: 'bearer',
    description: 'A server key `otp_sk_…` or a publishable key `otp_pk_…`.',
  },
  serverKey: { type: 'http', scheme: 'bearer', description: 'A server key `otp_sk_…`.' },
  operator: { type: 'http', scheme: 'bearer', description: 'The operator’s token.' },
  session: {
    type: 'apiKey',
    in: 'cookie',
    name: 'countersign_session',
    description: 'The dashboard’s session. Changes need an `Origin` of the service’s own.',
  },
}

export function openApiDocument(): JsonObject {
  const schemas = createSchemas()
  const paths: Record<string, JsonObject> = {}
  const tags = new Set<string>(['Callbacks', 'Health'])
  for (const [name, operation] of Object.entries<Operation>(operations)) {
    const path = paths[operation.path] ?? {}
    path[operation.method.toLowerCase()] = describe(name, operation, schemas)
    paths[operation.path] = path
    tags.add(tagOf(operation.path))
  }
  Object.assign(paths, signingKeys(schemas), health(schemas))
  const webhooks = eventSection(schemas)
  const error = schemas.schemaOf(errorBody, 'output')
  const { schemas: named, ...made } = schemas.finish({ paths, webhooks, error })
  return {
    openapi: '3.1.0',
    info: {
      title: 'Countersign',
      version: '1',
      summary: 'A verification-code service that companies host themselves.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
      description:
        'Proves that a person controls a phone number or an email address. Bodies are JSON, and an optional field of a request may be null; times are ISO 8601 in UTC; money is a decimal number as text. Every answer carries `X-Request-Id`, and every refusal has one body. `/twilio/v2` is not described here: it answers as Twilio Verify v2 does, whose description Twilio publishes (https://github.com/twilio/twilio-oai, `twilio_verify_v2`); /docs/twilio of the service says which parts exist here, and what differs.',
    },
    servers: [{ url: '/', description: 'The service that this document came from.' }],
    tags: tagsAmong(tags),
    paths: { ...exemplified(made.paths, named), ...callbacks },
    webhooks: made.webhooks,
    components: {
      schemas: { Error: made.error, ...named },
      headers: {
        RequestId: {
          description: 'The id of the request, `req_…`, or the one that the caller sent.',
          schema: { type: 'string' },
        },
      },
      examples: errorExamples(),
      securitySchemes,
    },
  }
}

const objectAt = (value: unknown, ...steps: string[]): JsonObject | undefined => {
  const found = steps.reduce<unknown>(
    (at, step) => (typeof at === 'object' && at !== null ? Reflect.get(at, step) : undefined),
    value,
  )
  return typeof found === 'object' && found !== null ? (found as JsonObject) : undefined
}

/** Every body and every successful answer has an example: the one that was written, else one made from its schema. */
function exemplified(paths: Record<string, JsonObject>, schemas: JsonObject): Record<string, JsonObject> {
  const find = (name: string) => objectAt(schemas, name) ?? {}
  for (const path of Object.values(paths)) {
    for (const call of Object.values(path)) {
      const [good] = Object.keys(objectAt(call, 'responses') ?? {}).filter((status) => status.startsWith('2'))
      for (const steps of [['requestBody'], ['responses', good ?? '']]) {
        const media = objectAt(call, ...steps, 'content', 'application/json')
        const schema = objectAt(media, 'schema')
        if (media && schema && !('example' in media))
          Object.assign(media, { example: exampleOf(schema, find) })
      }
    }
  }
  return paths
}
