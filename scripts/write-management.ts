/** The management API as types for the Node library, made from the schemas that validate. */
import { readFileSync, writeFileSync } from 'node:fs'
import { z } from 'zod'
import { type Operation, operations } from '../contract/src/index.ts'

type Schema = Readonly<Record<string, unknown>>

const prefix = '/manage/v1'
/** A type of at least this length that is used in several places gets a name. */
const longEnough = 400

/** The operator's token may call all operations except those of a person's own session. */
const wanted = Object.entries<Operation>(operations).filter(
  ([, { path, access }]) => path.startsWith(`${prefix}/`) && access !== 'session' && access !== 'public',
)

function schemaOf(schema: z.ZodType, io: 'input' | 'output'): Schema {
  const { $schema: _, $defs = {}, ...json } = z.toJSONSchema(schema, { io, unrepresentable: 'any' })
  return inlined(json, $defs as Record<string, Schema>) as Schema
}

function inlined(value: unknown, definitions: Readonly<Record<string, Schema>>): unknown {
  if (Array.isArray(value)) return value.map((each) => inlined(each, definitions))
  if (typeof value !== 'object' || value === null) return value
  const { $ref: reference, ...rest } = value as Schema
  if (typeof reference === 'string')
    return inlined(definitions[reference.replace('#/$defs/', '')], definitions)
  return Object.fromEntries(Object.entries(rest).map(([key, each]) => [key, inlined(each, definitions)]))
}

const seen = new Map<string, number>()
const names = new Map<string, string>()
const shapes: string[] = []

function count(value: unknown): void {
  if (typeof value !== 'object' || value === null) return
  const text = JSON.stringify(value)
  if (!Array.isArray(value) && text.length >= longEnough) seen.set(text, (seen.get(text) ?? 0) + 1)
  for (const each of Object.values(value)) count(each)
}

/** Named at its first use, so that equal shapes are written once. */
function typeOf(schema: Schema): string {
  const text = JSON.stringify(schema)
  if ((seen.get(text) ?? 0) < 2) return spelt(schema)
  const known = names.get(text)
  if (known) return known
  const type = spelt(schema)
  if (type.length < longEnough / 2) return type
  const name = `Shape${names.size + 1}`
  names.set(text, name)
  shapes.push(`type ${name} = ${type}`)
  return name
}

const plain: Readonly<Record<string, string>> = {
  string: 'string',
  number: 'number',
  integer: 'number',
  boolean: 'boolean',
  null: 'null',
}

const union = (types: readonly string[]) => [...new Set(types)].join(' | ')
const listOf = (value: unknown): readonly Schema[] => (Array.isArray(value) ? value : [])

function spelt(schema: Schema): string {
  const { type, anyOf, oneOf, allOf, enum: words, items } = schema
  if ('const' in schema) return JSON.stringify(schema.const)
  if (Array.isArray(words)) return union(words.map((word) => JSON.stringify(word)))
  const choices = listOf(anyOf ?? oneOf)
  if (choices.length > 0) return union(choices.map((each) => typeOf(each)))
  if (listOf(allOf).length > 0)
    return listOf(allOf)
      .map((each) => `(${typeOf(each)})`)
      .join(' & ')
  if (Array.isArray(type)) return union(type.map((each) => spelt({ ...schema, type: each })))
  if (type === 'array') return `(${typeOf((items ?? {}) as Schema)})[]`
  if (type === 'object') return objectOf(schema)
  return plain[String(type)] ?? 'unknown'
}

function objectOf({ properties = {}, required, additionalProperties }: Schema): string {
  const needed = new Set(listOf(required).map(String))
  const fields = Object.entries(properties as Record<string, Schema>).map(
    ([name, schema]) => `${JSON.stringify(name)}${needed.has(name) ? '' : '?'}: ${typeOf(schema)}`,
  )
  const others = additionalProperties as Schema | boolean | undefined
  if (fields.length > 0) return `{ ${fields.join('; ')} }`
  if (typeof others === 'object') return `Record<string, ${typeOf(others)}>`
  return 'Record<string, unknown>'
}

interface Described {
  readonly name: string
  readonly operation: Operation
  readonly body: Schema | null
  readonly query: Schema | null
  readonly answer: Schema
}

const described = wanted.map(([name, operation]): Described => {
  const body = operation.shownBody ?? operation.body
  return {
    name,
    operation,
    body: body ? schemaOf(body, 'input') : null,
    query: operation.query ? schemaOf(operation.query, 'input') : null,
    answer: schemaOf(operation.answer, 'output'),
  }
})
for (const { body, query, answer } of described) count([body, query, answer])

function declared({ name, operation, body, query, answer }: Described): string {
  const params = [...operation.path.matchAll(/\{(\w+)\}/g)].map(([, param]) => `${param}: string`)
  const isQueryNeeded = listOf(query?.required).length > 0
  const parts = [
    ...(params.length > 0 ? [`params: { ${params.join('; ')} }`] : []),
    ...(query ? [`query${isQueryNeeded ? '' : '?'}: ${typeOf(query)}`] : []),
    ...(body ? [`body: ${typeOf(body)}`] : []),
  ]
  const request = parts.length > 0 ? `{ ${parts.join('; ')} }` : 'Record<string, never>'
  return `  /** ${operation.summary} */\n  ${name}: { request: ${request}; answer: ${typeOf(answer)} }`
}

const members = described.map(declared)
/** The fields that an answer has in each of its forms. */
function fieldsOf({ required, anyOf, oneOf }: Schema): readonly string[] {
  const [first, ...others] = listOf(anyOf ?? oneOf).map(fieldsOf)
  if (first) return first.filter((name) => others.every((names) => names.includes(name)))
  return listOf(required).map(String)
}

const table = described.map(({ name, operation: { method, path, isOnce }, answer }) => {
  const fields = fieldsOf(answer).map((field) => `'${field}'`)
  const parts = [`'${method}'`, `'${path.slice(prefix.length)}'`, `[${fields.join(', ')}]`]
  return `  ${name}: [${[...parts, ...(isOnce ? [`'once'`] : [])].join(', ')}],`
})
const text = `/** Made by scripts/write-management.ts from the contract: do not edit. */

${shapes.join('\n')}

/** What each operation takes and answers, in the names of the API. */
export interface ManagementOperations {
${members.join('\n')}
}

/** Method and path of each, what its answer always has, and whether it takes an idempotency key. */
export const managementOperations = {
${table.join('\n')}
} as const satisfies Record<keyof ManagementOperations, readonly [string, string, readonly string[], 'once'?]>
`

const file = new URL('../sdks/node/src/management-operations.ts', import.meta.url)
if (!process.argv.includes('--check')) writeFileSync(file, text)
else if (readFileSync(file, 'utf8') !== text) {
  console.error('sdks/node/src/management-operations.ts is not what the contract says. Run: npm run generate')
  process.exit(1)
}
