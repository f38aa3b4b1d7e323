/** What generators and readers need of the document. Its schemas need no test here: they are the ones that validate. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { z } from 'zod'
import type { Operation } from '../operation.ts'
import { operations } from '../operations.ts'
import { healthAnswer, readinessAnswer } from '../operator/health.ts'
import { signingKeysAnswer } from '../verification/otp.ts'
import { webhookEvent } from '../webhooks/events.ts'
import { openApiDocument } from './document.ts'
import { operationExamples } from './examples.ts'
import { schemaNames } from './names.ts'
import { operationWords } from './operation-words.ts'

const table = Object.entries<Operation>(operations)
const schemasOf = () => table.map(([, { body }]) => body && z.toJSONSchema(body, { unrepresentable: 'any' }))
const schemasBefore = schemasOf()

// biome-ignore lint/suspicious/noExplicitAny: a document is read along paths that the test asserts
const document: any = openApiDocument()
const described = ({ path, method }: Operation) => document.paths[path][method.toLowerCase()]

function* objectsIn(value: unknown, path = '#'): Generator<[path: string, object: Record<string, unknown>]> {
  if (typeof value !== 'object' || value === null) return
  if (!Array.isArray(value)) yield [path, { ...value }]
  for (const [key, member] of Object.entries(value)) yield* objectsIn(member, `${path}/${key}`)
}

describe('the document', () => {
  it('leaves the schemas that it is made of as they were', () => {
    assert.deepEqual(schemasOf(), schemasBefore)
  })

  it('says of every operation what it does, who may call it, and in which group it stands', () => {
    const tags = new Set(document.tags.map(({ name }: { name: string }) => name))
    for (const [name, operation] of table) {
      const { summary, description, tags: own } = described(operation)
      assert.ok(description.length > 20 && description !== summary, name)
      assert.ok(own.length === 1 && tags.has(own[0]), name)
    }
    assert.deepEqual(
      Object.keys(operationWords).filter((name) => !(name in operations)),
      [],
    )
  })

  it('names the refusal of parameters that a management call does not have', () => {
    for (const [name, operation] of table)
      if (operation.path.startsWith('/manage/')) assert.ok(described(operation).responses['422'], name)
  })

  it('names 415 only where the type of a body counts, which is in management', () => {
    for (const [name, operation] of table) {
      const isManagement = operation.path.startsWith('/manage/')
      assert.equal('415' in described(operation).responses, isManagement && Boolean(operation.body), name)
    }
  })

  it('has no body and no answer without a name', () => {
    for (const [name, operation] of table) {
      const { requestBody, responses } = described(operation)
      const good = responses[String(operation.status ?? 200)]
      for (const place of [requestBody, good].filter(Boolean))
        assert.match(
          place.content['application/json'].schema.$ref ?? '',
          /^#\/components\/schemas\/\w+$/,
          name,
        )
    }
  })

  it('has only patterns that every language reads', () => {
    for (const [path, { pattern }] of objectsIn(document)) {
      if (typeof pattern !== 'string') continue
      // No Unicode classes, lookaround or backreferences, and no `\d`, `\w` or `\b`, which languages read differently.
      assert.doesNotMatch(pattern, /\\[pPuUkdDwWbB1-9]|\(\?[=!<]/, path)
      assert.doesNotThrow(() => new RegExp(pattern), path)
    }
  })

  it('says null in one way, and gives whole numbers a size', () => {
    for (const [path, schema] of objectsIn(document.components.schemas)) {
      if (schema.type === 'integer') assert.ok(schema.format === 'int32' || schema.format === 'int64', path)
      assert.notEqual(schema.nullable, true, path)
      const { anyOf } = schema
      if (Array.isArray(anyOf) && anyOf.length === 2 && anyOf[1]?.type === 'null')
        assert.ok('$ref' in anyOf[0] || 'anyOf' in anyOf[0] || 'oneOf' in anyOf[0], path)
    }
  })

  it('has examples that the service itself would take and give', () => {
    for (const [name, { body, answer }] of Object.entries(operationExamples)) {
      const operation = table.find(([known]) => known === name)?.[1]
      assert.ok(operation, name)
      if (body !== undefined) (operation.shownBody ?? operation.body)?.parse(body)
      if (answer !== undefined) assert.deepEqual(operation.answer.parse(answer), answer, name)
    }
    for (const { post } of Object.values<{
      post: { requestBody: { content: Record<string, { example: unknown }> } }
    }>(document.webhooks))
      assert.ok(webhookEvent.parse(post.requestBody.content['application/json']?.example))
  })

  it('has the keys of proofs, and says where the calls of Twilio Verify are described', () => {
    const { get } = document.paths['/.well-known/jwks.json']
    assert.deepEqual(get.security, [])
    const { example } = get.responses['200'].content['application/json']
    assert.deepEqual(signingKeysAnswer.parse(example), example)
    assert.match(document.info.description, /\/twilio\/v2.*twilio_verify_v2.*\/docs\/twilio/)
  })

  it('has the paths that probes ask, with what they answer in good and in bad times', () => {
    const answersOf = (path: string) => document.paths[path].get.responses
    const exampleOf = (answer: { content: Record<string, { example: unknown }> }) =>
      answer.content['application/json']?.example
    assert.ok(healthAnswer.parse(exampleOf(answersOf('/healthz')['200'])))
    for (const status of ['200', '503'])
      assert.ok(readinessAnswer.parse(exampleOf(answersOf('/readyz')[status])), status)
  })

  it('says that a range of a rule without a bound is refused', () => {
    for (const [name, body] of [
      ['CountedWithin', { window_s: 60 }],
      ['PriceRange', {}],
      ['HourRange', {}],
    ] as const) {
      assert.equal(document.components.schemas[name].minProperties, Object.keys(body).length + 1, name)
      assert.equal(schemaNames[name]?.safeParse(body).success, false, name)
      assert.ok(schemaNames[name]?.safeParse({ ...body, gte: name === 'PriceRange' ? '1' : 1 }).success, name)
    }
  })

  it('has an example for every body and every good answer, which its own schema takes', () => {
    const exampleIn = (part: unknown) =>
      (part as { content?: Record<string, { example?: unknown }> })?.content?.['application/json']?.example
    for (const [name, operation] of table) {
      const call = document.paths[operation.path][operation.method.toLowerCase()]
      const body = operation.shownBody ?? operation.body
      if (body) assert.ok(body.safeParse(exampleIn(call.requestBody)).success, `the body of ${name}`)
      const answer = exampleIn(call.responses[String(operation.status ?? 200)])
      const judged = operation.answer.safeParse(answer)
      assert.ok(judged.success, `the answer of ${name}: ${judged.error?.message} ${JSON.stringify(answer)}`)
    }
  })

  it('leads from each call to the next by links that exist, to fields that the answer has', () => {
    let count = 0
    for (const [name, operation] of table) {
      const { links = {}, content } = described(operation).responses[String(operation.status ?? 200)]
      const reference: string = content['application/json'].schema.$ref
      for (const link of Object.values<Record<string, Record<string, string>>>(links)) {
        const target = table.find(([known]) => known === String(link.operationId))?.[1]
        assert.ok(target, name)
        for (const [parameter, from] of Object.entries(link.parameters ?? {})) {
          assert.ok(target.path.includes(`{${parameter}}`), name)
          assertField(reference, from)
          count++
        }
        for (const from of Object.values(link.requestBody ?? {})) assertField(reference, from)
      }
    }
    assert.ok(count > 5)
  })

  function assertField(reference: string, expression: string): void {
    const { properties, oneOf } = document.components.schemas[reference.split('/').at(-1) ?? '']
    const field = expression.replace('$response.body#/', '')
    if (properties) assert.ok(field in properties, expression)
    else for (const { $ref } of oneOf) assertField($ref, expression)
  }
})
