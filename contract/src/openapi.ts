/** OpenAPI 3.1, from the same schemas that validate. */
import { z } from 'zod'
import { type ErrorName, errorBody, errorCatalogue } from './errors.ts'
import type { Access, Operation } from './operation.ts'
import { operations } from './operations.ts'

type JsonObject = Record<string, unknown>

/** Schemas with a name of their own (`id`) stand once, among the components, and are referred to. */
function createSchemas() {
  const named: JsonObject = {}
  const schemaOf = (schema: z.ZodType, io: 'input' | 'output'): JsonObject => {
    const made = JSON.stringify(z.toJSONSchema(schema, { io, unrepresentable: 'any' }))
    const {
      $schema: _,
      $defs = {},
      ...json
    } = JSON.parse(made.replaceAll('"#/$defs/', '"#/components/schemas/'))
    for (const [name, { id: __, ...definition }] of Object.entries<JsonObject>($defs))
      named[name] = definition
    return json
  }
  return { named, schemaOf }
}
type SchemaOf = ReturnType<typeof createSchemas>['schemaOf']

const csvSchema = (columns: readonly string[], isPaged: boolean): JsonObject => ({
  type: 'string',
  description: `With \`Accept: text/csv\`: ${isPaged ? 'all pages from `cursor` on as one file, at most 100,000 rows,' : 'a file'} with the columns ${columns.join(', ')}.`,
})

/** What every endpoint of a kind of access may also answer. */
function commonErrors(operation: Operation): ErrorName[] {
  const names: ErrorName[] = ['UnavailableError', 'InternalError']
  if (operation.access !== 'public') names.push('Unauthorized')
  if (leastRole.has(operation.access)) names.push('ForbiddenError')
  if (companyRoles.has(operation.access)) names.push('PasskeyNeededError')
  if (operation.isFresh) names.push('FreshSignInNeededError')
  if (operation.body || operation.query) names.push('ValidationError')
  if (operation.body) names.push('BodyTooLarge', 'WrongContentType')
  return names
}

function errorAnswers(operation: Operation): JsonObject {
  const byStatus = new Map<number, Set<string>>()
  for (const name of [...operation.errors, ...commonErrors(operation)]) {
    const { status, type } = errorCatalogue[name]
    byStatus.set(status, (byStatus.get(status) ?? new Set()).add(type))
  }
  return Object.fromEntries(
    [...byStatus]
      .sort(([left], [right]) => left - right)
      .map(([status, types]) => [
        String(status),
        {
          description: [...types].join(', '),
          ...(status === 429 || status === 503
            ? { headers: { 'Retry-After': { schema: { type: 'integer', minimum: 1 } } } }
            : {}),
          content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } },
        },
      ]),
  )
}

function parameters(operation: Operation, schemaOf: SchemaOf): JsonObject[] {
  const inPath = [...operation.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'string' },
  }))
  const query = operation.query ? schemaOf(operation.query, 'input') : {}
  const inQuery = Object.entries((query.properties ?? {}) as JsonObject).map(([name, schema]) => ({
    name,
    in: 'query',
    schema,
  }))
  const inHeader = Object.entries(operation.headers ?? {}).map(([name, description]) => ({
    name,
    in: 'header',
    description,
    schema: { type: 'string', maxLength: 128 },
  }))
  return [...inPath, ...inQuery, ...inHeader]
}

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
const companyRoles: ReadonlySet<Access> = new Set(['viewer', 'developer', 'owner'])
const leastRole: ReadonlySet<Access> = new Set(['viewer', 'developer', 'owner', 'operator'])

function describe(name: string, operation: Operation, schemaOf: SchemaOf): JsonObject {
  const list = parameters(operation, schemaOf)
  const body = operation.shownBody ?? operation.body
  return {
    operationId: name,
    summary: operation.summary,
    tags: [operation.path.startsWith('/manage') ? 'Management' : 'Verification'],
    security: securityOf[operation.access],
    ...(leastRole.has(operation.access) ? { 'x-least-role': operation.access } : {}),
    ...(operation.isFresh ? { 'x-fresh-sign-in': true } : {}),
    ...(list.length > 0 ? { parameters: list } : {}),
    ...(body
      ? {
          requestBody: {
            required: true,
            content: { 'application/json': { schema: schemaOf(body, 'input') } },
          },
        }
      : {}),
    responses: {
      [String(operation.status ?? 200)]: {
        description: 'Done',
        headers: { 'X-Request-Id': { schema: { type: 'string' } } },
        content: {
          'application/json': { schema: schemaOf(operation.answer, 'output') },
          ...(operation.csv
            ? { 'text/csv': { schema: csvSchema(operation.csv.columns, operation.query !== undefined) } }
            : {}),
        },
      },
      ...errorAnswers(operation),
    },
  }
}

/** Callbacks of providers, whose bodies are each provider's own. */
const callbackAt = (path: string, names: readonly string[], after: string) => ({
  [path]: Object.fromEntries(
    (['get', 'post'] as const).map((method) => [
      method,
      {
        operationId: `${method}Callback${after}`,
        summary: 'Where providers report on messages; told to them under `PUBLIC_URL`',
        tags: ['Callbacks'],
        security: [],
        parameters: names.map((name) => ({ name, in: 'path', required: true, schema: { type: 'string' } })),
        responses: {
          200: { description: 'Taken' },
          401: {
            description: 'HTTPException: the provider’s signature does not hold',
            content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } },
          },
        },
      },
    ]),
  ),
})
const callbacks = {
  ...callbackAt('/hooks/{provider_id}', ['provider_id'], ''),
  ...callbackAt('/hooks/{provider_id}/{token}', ['provider_id', 'token'], 'WithToken'),
}

export function openApiDocument(): JsonObject {
  const { named, schemaOf } = createSchemas()
  const paths: Record<string, JsonObject> = {}
  for (const [name, operation] of Object.entries(operations)) {
    const path = paths[operation.path] ?? {}
    path[operation.method.toLowerCase()] = describe(name, operation, schemaOf)
    paths[operation.path] = path
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Countersign',
      version: '1',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
      description: 'Proves that a person controls a phone number or an email address.',
    },
    servers: [{ url: '/' }],
    paths: { ...paths, ...callbacks },
    components: {
      schemas: { Error: schemaOf(errorBody, 'output'), ...named },
      securitySchemes: {
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
      },
    },
  }
}
