/** What a call answers: the successful answer with its links, and every error with its meaning. */

import { errorWords } from '../errors/error-words.ts'
import { type ErrorName, errorCatalogue } from '../errors/errors.ts'
import type { Access, Operation } from '../operation.ts'
import { errorDetailsExamples, errorRequestId } from './examples.ts'
import { linksOf } from './links.ts'
import type { Schemas } from './schemas.ts'
import type { JsonObject } from './tidy.ts'

const companyRoles: ReadonlySet<Access> = new Set(['viewer', 'developer', 'owner'])
export const leastRole: ReadonlySet<Access> = new Set(['viewer', 'developer', 'owner', 'operator'])

/** What every endpoint of a kind of access may also answer. */
function commonErrors(operation: Operation): ErrorName[] {
  const names: ErrorName[] = ['UnavailableError', 'InternalError']
  if (operation.access !== 'public') names.push('Unauthorized')
  if (leastRole.has(operation.access)) names.push('ForbiddenError')
  if (companyRoles.has(operation.access)) names.push('PasskeyNeededError')
  if (operation.isFresh) names.push('FreshSignInNeededError')
  if (operation.isOnce) names.push('InvalidIdempotencyKeyError')
  const isManagement = operation.path.startsWith('/manage/')
  // Management calls refuse unknown query parameters.
  if (operation.body || isManagement) names.push('ValidationError')
  if (operation.body) names.push('BodyTooLarge')
  if (operation.body && isManagement) names.push('WrongContentType')
  if (isManaged(operation)) names.push('RateLimitExceededError')
  return names
}

/** What a signed-in person may call. How many calls may wait is bounded, and how many recipients a viewer looks up. */
const isManaged = ({ access }: Operation) =>
  access === 'session' || access === 'signed_in' || leastRole.has(access)

export const errorAnswer = (status: number, names: readonly ErrorName[]): JsonObject => ({
  description: names.map((name) => `\`${errorCatalogue[name].type}\`: ${errorWords[name].when}`).join('\n\n'),
  headers: {
    'X-Request-Id': { $ref: '#/components/headers/RequestId' },
    ...(status === 429 || status === 503
      ? {
          'Retry-After': {
            description: 'Seconds after which the same call is not refused for the same reason.',
            schema: { type: 'integer', minimum: 1 },
          },
        }
      : {}),
  },
  content: {
    'application/json': {
      schema: { $ref: '#/components/schemas/Error' },
      examples: Object.fromEntries(names.map((name) => [name, { $ref: `#/components/examples/${name}` }])),
    },
  },
})

function errorAnswers(operation: Operation): JsonObject {
  const byStatus = new Map<number, ErrorName[]>()
  for (const name of new Set([...operation.errors, ...commonErrors(operation)])) {
    const { status } = errorCatalogue[name]
    byStatus.set(status, [...(byStatus.get(status) ?? []), name])
  }
  return Object.fromEntries(
    [...byStatus]
      .sort(([left], [right]) => left - right)
      .map(([status, names]) => [String(status), errorAnswer(status, names)]),
  )
}

const csvSchema = (columns: readonly string[], isPaged: boolean): JsonObject => ({
  type: 'string',
  description: `With \`Accept: text/csv\`: ${isPaged ? 'all pages from `cursor` on as one file, at most 100,000 rows,' : 'a file'} with the columns ${columns.join(', ')}.`,
})

export function responsesOf(
  name: string,
  operation: Operation,
  { namedSchemaOf }: Schemas,
  example: unknown,
): JsonObject {
  const links = linksOf(name)
  return {
    [String(operation.status ?? 200)]: {
      description: operation.status === 201 ? 'Created' : 'Done',
      headers: { 'X-Request-Id': { $ref: '#/components/headers/RequestId' } },
      content: {
        'application/json': {
          schema: namedSchemaOf(operation.answer, 'output', name),
          ...(example === undefined ? {} : { example }),
        },
        ...(operation.csv
          ? { 'text/csv': { schema: csvSchema(operation.csv.columns, operation.query !== undefined) } }
          : {}),
      },
      ...(links ? { links } : {}),
    },
    ...errorAnswers(operation),
  }
}

/** Errors that no operation answers, since they mean that none was called. */
const ofNoOperation: ReadonlySet<string> = new Set(['PathNotFound'])

/** One example for each error; responses refer to them. */
export const errorExamples = (): JsonObject =>
  Object.fromEntries(
    Object.entries(errorCatalogue)
      .filter(([name]) => !ofNoOperation.has(name))
      .map(([name, { type }]) => {
        // `Object.entries` returns plain strings; here they are the names of the errors.
        const words = errorWords[name as ErrorName]
        const details = errorDetailsExamples[name as ErrorName] ?? {}
        return [
          name,
          {
            summary: type,
            description: words.todo,
            value: { error: { type, message: words.when, details }, request_id: errorRequestId },
          },
        ]
      }),
  )
