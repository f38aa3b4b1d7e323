/** The contract's schemas in the document: each named one appears once, among the components. */
import { z } from 'zod'
import { capitalised, schemaNames } from './names.ts'
import { type JsonObject, tidied } from './tidy.ts'

type Direction = 'input' | 'output'
type Definitions = Record<Direction, Map<string, JsonObject>>

const componentPrefix = '#/components/schemas/'
/** Used in references until it is known whether a schema is the same in both directions. */
const placeOf = (direction: Direction) => `#/${direction}/`

/** Returns a function that removes the names again, so that other uses of the schemas in this process get them inline. */
function nameSchemas(): () => void {
  const before = Object.entries(schemaNames).map(([id, schema]) => {
    const meta = schema.meta()
    z.globalRegistry.add(schema, { ...meta, id })
    return { schema, meta }
  })
  return () => {
    for (const { schema, meta } of before) {
      if (meta) z.globalRegistry.add(schema, meta)
      else z.globalRegistry.remove(schema)
    }
  }
}

export function createSchemas() {
  const takeNamesAway = nameSchemas()
  const defined: Definitions = { input: new Map(), output: new Map() }

  /** The schema inline, with references to what has a name. */
  function schemaOf(schema: z.ZodType, direction: Direction): JsonObject {
    const made: JsonObject = z.toJSONSchema(schema, { io: direction, unrepresentable: 'any' })
    const moved: JsonObject = JSON.parse(
      JSON.stringify(made).replaceAll('"#/$defs/', `"${placeOf(direction)}`),
    )
    const { $schema: _, $defs, ...root } = moved
    for (const [name, definition] of Object.entries(objectOf($defs)))
      defined[direction].set(name, tidied(withoutId(objectOf(definition)), direction))
    return tidied(withoutId(root), direction)
  }

  /** For a body or an answer, which always has a name: its own or the call's. */
  function namedSchemaOf(schema: z.ZodType, direction: Direction, call: string): JsonObject {
    const made = schemaOf(schema, direction)
    if ('$ref' in made) return made
    const name = `${capitalised(call)}${direction === 'input' ? 'Body' : 'Answer'}`
    defined[direction].set(name, made)
    return { $ref: `${placeOf(direction)}${name}` }
  }

  /** Puts the final names into a document whose schemas were made here. */
  function finish<Document extends object>(document: Document): Document & { schemas: JsonObject } {
    takeNamesAway()
    const twofold = findTwofold(defined)
    const schemas: JsonObject = {}
    for (const [name, definition] of defined.output) schemas[name] = definition
    for (const [name, definition] of defined.input)
      schemas[twofold.has(name) ? `${name}Input` : name] = definition
    const text = JSON.stringify({ ...document, schemas: sorted(schemas) })
    return JSON.parse(
      text.replaceAll(/"#\/(input|output)\/(\w+)"/g, (_, direction: Direction, name: string) =>
        JSON.stringify(
          `${componentPrefix}${name}${direction === 'input' && twofold.has(name) ? 'Input' : ''}`,
        ),
      ),
    )
  }

  return { schemaOf, namedSchemaOf, finish }
}
export type Schemas = ReturnType<typeof createSchemas>

const objectOf = (value: unknown): JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : {}
const withoutId = ({ id: _, ...rest }: JsonObject): JsonObject => rest
const sorted = (schemas: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(schemas).toSorted(([left], [right]) => (left < right ? -1 : 1)))

/** Names whose schema differs between bodies and answers, by itself or by what it refers to. */
function findTwofold({ input, output }: Definitions): ReadonlySet<string> {
  const both = [...input.keys()].filter((name) => output.has(name))
  const spelt = (schemas: ReadonlyMap<string, JsonObject>, name: string) =>
    JSON.stringify(schemas.get(name))
      .replaceAll(/"#\/(?:input|output)\//g, '"#/')
      // Does not count as a difference: the schema of a body that refuses unknown fields may describe the answer too.
      .replaceAll(',"additionalProperties":false', '')
  const twofold = new Set(both.filter((name) => spelt(input, name) !== spelt(output, name)))
  const refersToOne = (name: string) =>
    [...spelt(input, name).matchAll(/"#\/(\w+)"/g)].some(([, other = '']) => twofold.has(other))
  for (let size = -1; size !== twofold.size; ) {
    size = twofold.size
    for (const name of both) if (refersToOne(name)) twofold.add(name)
  }
  return twofold
}
