/** Whether a node lives and can serve: outside of the API, for probes and load balancers. */
import type { z } from 'zod'
import { healthAnswer, readinessAnswer } from '../operator/health.ts'
import { errorAnswer } from './responses.ts'
import type { Schemas } from './schemas.ts'
import { tagOf } from './tags.ts'
import type { JsonObject } from './tidy.ts'

interface Page {
  readonly path: string
  readonly name: string
  readonly summary: string
  readonly description: string
  readonly answer: z.ZodType
  readonly answers: Readonly<Record<number, { readonly description: string; readonly example: JsonObject }>>
}

const pages: readonly Page[] = [
  {
    path: '/healthz',
    name: 'getHealth',
    summary: 'Whether the process lives',
    description: 'Asks nothing else, so it also answers while the database is unavailable.',
    answer: healthAnswer,
    answers: { 200: { description: 'It lives', example: { status: 'alive' } } },
  },
  {
    path: '/readyz',
    name: 'getReadiness',
    summary: 'Whether this node can serve calls',
    description:
      'Asks the database whether it answers and takes writes. A load balancer sends calls to the nodes that answer 200.',
    answer: readinessAnswer,
    answers: {
      200: { description: 'It can serve', example: { status: 'ready' } },
      503: {
        description: 'It cannot serve, or is stopping',
        example: { status: 'not ready', problems: ['stopping'] },
      },
    },
  },
]

export const health = (schemas: Schemas): Record<string, JsonObject> =>
  Object.fromEntries(pages.map((page) => [page.path, { get: describe(page, schemas) }]))

function describe({ path, name, summary, description, answer, answers }: Page, schemas: Schemas): JsonObject {
  const schema = schemas.namedSchemaOf(answer, 'output', name)
  return {
    operationId: name,
    summary,
    description: `${description} Anybody who reaches the node may call it.`,
    tags: [tagOf(path)],
    security: [],
    responses: {
      ...Object.fromEntries(
        Object.entries(answers).map(([status, { description: words, example }]) => [
          status,
          { description: words, content: { 'application/json': { schema, example } } },
        ]),
      ),
      405: errorAnswer(405, ['MethodNotAllowed']),
    },
  }
}
