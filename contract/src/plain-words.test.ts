/** Gives every field of every call a value of the wrong type: our words, not zod's, must say what was expected. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { z } from 'zod'
import { type FieldProblem, parseBody, parseFields } from './errors/field-problems.ts'
import { openApiDocument } from './openapi/document.ts'
import type { Operation } from './operation.ts'
import { operations } from './operations.ts'
import { rangeEnd } from './vocabulary.ts'

const wrong = ['true', '', -1, 1.5, true, [], ['true'], [1], {}, { other: 1 }]
const ours = /^(must|is|has|gte must) /
const tooLate = 'must be before the year 9999'

/** The paths of all values that a body may have: of a list one entry, of a record one key. */
function* placesIn(schema: unknown, at: readonly string[] = []): Generator<readonly string[]> {
  if (!(schema instanceof z.ZodType)) return
  yield at
  if (schema instanceof z.ZodObject)
    for (const [name, field] of Object.entries(schema.shape)) yield* placesIn(field, [...at, name])
  else if (schema instanceof z.ZodArray) yield* placesIn(schema.element, [...at, '0'])
  else if (schema instanceof z.ZodRecord) yield* placesIn(schema.valueType, [...at, 'GB'])
  else if (schema instanceof z.ZodUnion)
    for (const option of schema.options) yield* withoutFirst(placesIn(option, at))
  else if (schema instanceof z.ZodPipe) yield* withoutFirst(placesIn(schema.in, at))
  else if (
    schema instanceof z.ZodOptional ||
    schema instanceof z.ZodNullable ||
    schema instanceof z.ZodDefault ||
    schema instanceof z.ZodPrefault
  )
    yield* withoutFirst(placesIn(schema.unwrap(), at))
}

function* withoutFirst<Item>(items: Generator<Item>): Generator<Item> {
  items.next()
  yield* items
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null

function put(value: unknown, [name, ...rest]: readonly string[], wanted: unknown): unknown {
  if (name === undefined) return wanted
  const within = isObject(value) ? value[name] : undefined
  if (name === '0') return [put(within, rest, wanted)]
  return { ...(isObject(value) ? value : {}), [name]: put(within, rest, wanted) }
}

// biome-ignore lint/suspicious/noExplicitAny: a document is read along paths that its own test asserts
const document: any = openApiDocument()
const exampleOf = ({ path, method }: Operation): unknown =>
  document.paths[path][method.toLowerCase()].requestBody?.content['application/json'].example

const table = Object.entries<Operation>(operations)

function assertOurs(problems: readonly FieldProblem[] | null, name: string, given: unknown): void {
  for (const { path, message } of problems ?? [])
    assert.match(message, ours, `${name}: ${path} is said to be “${message}” for ${JSON.stringify(given)}`)
}

describe('what is wrong with a call', () => {
  it('is said in our words, whatever stands in whichever field of whichever body', () => {
    for (const [name, operation] of table)
      for (const body of [operation.body, operation.shownBody])
        for (const place of placesIn(body))
          for (const value of wrong) {
            const given = put(exampleOf(operation), place, value)
            if (body) assertOurs(parseBody(body, given).problems, name, given)
          }
  })

  it('and of whichever query', () => {
    for (const [name, { query }] of table)
      for (const field of Object.keys(query?.shape ?? {}))
        for (const value of ['', 'true', '-1', '1.5', 'x y', ['a', 'b']])
          if (query) assertOurs(parseFields(query, { [field]: value }).problems, name, { [field]: value })
  })

  it('and of a range that would be rounded to a year of five digits; a list may end whenever it likes', () => {
    const ends = '9999-12-31T23:59:59Z'
    const refusing = table.flatMap(([name, { query }]) => {
      const problems = query && parseFields(query, { to: ends }).problems
      return problems?.some(({ path, message }) => path === 'to' && message === tooLate) ? [name] : []
    })
    assert.deepEqual(refusing.sort(), [
      'getDebts',
      'getErrorStats',
      'getHeldPeople',
      'getRefusalStats',
      'getStats',
      'getWays',
    ])
    const { problems } = parseFields(z.object({ to: rangeEnd }), { to: 'tomorrow' })
    assert.equal(problems?.length, 1, 'what is no time at all is one problem')
  })

  for (const [body, given, expected] of [
    ['putRules', ['true'], 'must be of type boolean'],
    ['putRules', 'true', 'must be of type boolean, or must be of type array'],
  ] as const)
    it(`says of a field that takes several forms what fits best: ${JSON.stringify(given)}`, () => {
      const rules = [{ name: 'a', mode: 'on', when: { known: given }, then: { action: 'pass' } }]
      const [problem] = parseBody(operations[body].body, { revision: 1, rules }).problems ?? []
      assert.equal(problem?.message, expected)
    })

  it('names the actions that a rule can have, also where there is none', () => {
    for (const then of [{}, { action: 'stop' }]) {
      const { problems } = parseBody(operations.putRules.body, {
        revision: 1,
        rules: [{ name: 'a', mode: 'on', when: {}, then }],
      })
      assert.deepEqual(problems, [
        { path: 'rules.0.then.action', message: 'must be one of refuse, hold, channels, link, limit, pass' },
      ])
    }
  })
})
