import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { z } from 'zod'
import { parseBody, parseFields } from './field-problems.ts'

const schema = z.strictObject({
  name: z.string().min(1).max(60).optional(),
  secret: z.string().min(16).optional(),
  max: z.int().min(1).max(1_000).optional(),
  order: z
    .array(z.enum(['sms', 'email']))
    .min(1)
    .max(4)
    .optional(),
  mode: z.enum(['template']).optional(),
  countries: z.record(z.string().regex(/^[A-Z]{2}$/, 'is no country'), z.string()).optional(),
  from: z.iso.datetime({ offset: true }).optional(),
  url: z
    .string()
    .regex(/^https:/, 'must start with https:')
    .optional(),
  kind: z.string(),
})

const problems = (value: unknown) =>
  (parseFields(schema, value).problems ?? []).map(({ path, message }) => `${path}: ${message}`)

describe('what is wrong with a field', () => {
  for (const [field, expected] of [
    [{ name: '' }, 'name: must not be empty'],
    [{ name: 'x'.repeat(61) }, 'name: must have at most 60 characters'],
    [{ name: 5 }, 'name: must be of type string'],
    [{ secret: 'x' }, 'secret: must have at least 16 characters'],
    [{ max: 0 }, 'max: must be at least 1'],
    [{ max: 1_001 }, 'max: must be at most 1000'],
    [{ max: 1.5 }, 'max: must be a whole number'],
    [{ order: [] }, 'order: must not be empty'],
    [{ order: Array(5).fill('sms') }, 'order: must have at most 4 entries'],
    [{ order: ['fax'] }, 'order.0: must be one of sms, email'],
    [{ mode: 'link' }, 'mode: must be template'],
    [{ countries: { gb: '1' } }, 'countries.gb: is no country'],
    [{ countries: [] }, 'countries: must be of type object'],
    [{ from: 'today' }, 'from: must be a time with its zone, such as 2026-01-31T12:00:00Z'],
    [{ url: 'http:' }, 'url: must start with https:'],
    [{ colour: 'blue' }, 'colour: is not a field of this call'],
    [{ kind: undefined }, 'kind: is required'],
  ] as const) {
    it(`is said in plain words: ${expected}`, () => {
      assert.deepEqual(problems({ kind: 'x', ...field }), [expected])
    })
  }
})

describe('null in a body', () => {
  const body = z.strictObject({
    kind: z.string(),
    note: z.string().optional(),
    price: z.string().default('0'),
    types: z.array(z.string()).nullable().optional(),
    rules: z
      .array(
        z.strictObject({ name: z.string(), known: z.union([z.boolean(), z.array(z.boolean())]).optional() }),
      )
      .optional(),
  })
  for (const [written, read] of [
    [{ note: null, price: null, rules: null }, { price: '0' }],
    [{ types: null }, { price: '0', types: null }],
    [
      { rules: [{ name: 'a' }, { name: 'b', known: null }] },
      { price: '0', rules: [{ name: 'a' }, { name: 'b' }] },
    ],
  ] as const) {
    it(`says that an optional field is not there: ${JSON.stringify(written)}`, () => {
      assert.deepEqual(parseBody(body, { kind: 'x', ...written }).data, { kind: 'x', ...read })
    })
  }

  for (const [written, expected] of [
    [{ kind: null, note: null }, 'kind: is required'],
    [{ kind: 'x', other: null }, 'other: is not a field of this call'],
    [{ kind: 'x', types: [null] }, 'types.0: must be of type string'],
    [null, ': must be of type object'],
    [{ kind: 'x', rules: Array(101).fill({ name: null }) }, 'rules.0.name: must be of type string'],
  ] as const) {
    it(`is refused elsewhere: ${expected}`, () => {
      const [first] = parseBody(body, written).problems ?? []
      assert.equal(`${first?.path}: ${first?.message}`, expected)
    })
  }
})
