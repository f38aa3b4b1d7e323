/** Schemas for code generators: one way to write null, integers with a size, patterns that every language can read. */
export type JsonObject = Record<string, unknown>

type Direction = 'input' | 'output'

const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

export function tidied(schema: JsonObject, direction: Direction): JsonObject {
  return told(sized(spelt(nullable(deep(schema, direction)))), direction)
}

/** Keywords whose keys are names, not keywords. */
const byName = new Set(['properties', 'patternProperties', '$defs'])
/** Keywords whose values are not schemas. */
const values = new Set(['default', 'examples', 'enum', 'const', 'discriminator', 'required'])

function deep(schema: JsonObject, direction: Direction): JsonObject {
  const inside = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(inside)
    return isObject(value) ? tidied(value, direction) : value
  }
  return Object.fromEntries(
    Object.entries(schema).map(([key, value]) => {
      if (values.has(key)) return [key, value]
      if (byName.has(key) && isObject(value))
        return [key, Object.fromEntries(Object.entries(value).map(([name, each]) => [name, inside(each)]))]
      return [key, inside(value)]
    }),
  )
}

/** `anyOf` with null becomes a list of types, which more generators support. */
function nullable(schema: JsonObject): JsonObject {
  const { anyOf, ...rest } = schema
  if (!Array.isArray(anyOf) || anyOf.length !== 2) return schema
  const [some, none] = anyOf.map((each) => (isObject(each) ? each : {}))
  if (none?.type !== 'null' || typeof some?.type !== 'string' || 'const' in some) return schema
  const { enum: words } = some
  return {
    ...some,
    type: [some.type, 'null'],
    ...(Array.isArray(words) ? { enum: [...words, null] } : {}),
    ...rest,
  }
}

/** A record with all keys required becomes an object with those fields. */
function spelt(schema: JsonObject): JsonObject {
  const { propertyNames, additionalProperties, ...rest } = schema
  if (!propertyNames || !Array.isArray(rest.required) || 'properties' in rest) return schema
  return {
    ...rest,
    properties: Object.fromEntries(rest.required.map((name) => [name, additionalProperties])),
  }
}

const largest32 = 2 ** 31 - 1
const isWhole = ({ type }: JsonObject) =>
  type === 'integer' || (Array.isArray(type) && type.includes('integer'))

/** The bounds of JavaScript integers are replaced by a format that gives the size. */
function sized(schema: JsonObject): JsonObject {
  if (!isWhole(schema)) return schema
  const { minimum, maximum, ...rest } = schema
  const isBound = (value: unknown): value is number =>
    typeof value === 'number' && Math.abs(value) < Number.MAX_SAFE_INTEGER
  return {
    ...rest,
    format: isBound(maximum) && maximum <= largest32 ? 'int32' : 'int64',
    ...(isBound(minimum) ? { minimum } : {}),
    ...(isBound(maximum) ? { maximum } : {}),
  }
}

/** Answers stay open, since fields may be added to them. A time or an address needs no pattern beside its format. */
function told(schema: JsonObject, direction: Direction): JsonObject {
  const { pattern, additionalProperties, ...rest } = schema
  const isSaid = typeof rest.format === 'string' && ['date-time', 'email', 'uri'].includes(rest.format)
  const isClosed = additionalProperties === false && direction === 'output'
  return {
    ...rest,
    ...(typeof pattern === 'string' && !isSaid ? { pattern: portable(pattern) } : {}),
    ...(additionalProperties === undefined || isClosed ? {} : { additionalProperties }),
  }
}

const inClass: Readonly<Record<string, string>> = { '\\d': '0-9', '\\w': 'A-Za-z0-9_' }

/** In some languages `\d` and `\w` match digits and letters of every script. */
function portable(pattern: string): string {
  let isInClass = false
  return pattern.replaceAll(/\\.|[[\]]/g, (part) => {
    if (part === '[' || part === ']') {
      isInClass = part === '['
      return part
    }
    const range = inClass[part]
    if (range === undefined) return part
    return isInClass ? range : `[${range}]`
  })
}
