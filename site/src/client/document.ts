/** Reads the OpenAPI document in the browser. */
export type Json = Readonly<Record<string, unknown>>

const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const objectAt = (value: unknown, ...path: readonly string[]): Json => {
  let current: unknown = value
  for (const key of path) current = isObject(current) ? current[key] : undefined
  return isObject(current) ? current : {}
}
export const listAt = (value: unknown, key: string): Json[] => {
  const list = isObject(value) ? value[key] : undefined
  return Array.isArray(list) ? list.map((entry) => objectAt(entry)) : []
}
export const textAt = (value: unknown, key: string): string => {
  const text = isObject(value) ? value[key] : undefined
  return text === undefined ? '' : String(text)
}

export const operationAt = (document: Json, path: string, method: string): Json =>
  objectAt(document, 'paths', path, method)

const componentPrefix = '#/components/schemas/'
const deepest = 4

/** The example body in the document, or else one with the required fields. */
export function bodyExample(document: Json, operation: Json): unknown {
  const content = objectAt(operation, 'requestBody', 'content', 'application/json')
  return content.example ?? sampleOf(document, objectAt(content, 'schema'), 0)
}

function sampleOf(document: Json, schema: Json, depth: number): unknown {
  const { $ref: reference } = schema
  if (typeof reference === 'string')
    return sampleOf(
      document,
      objectAt(document, 'components', 'schemas', reference.slice(componentPrefix.length)),
      depth,
    )
  const [first] = [...listAt(schema, 'oneOf'), ...listAt(schema, 'anyOf')]
  if (first) return sampleOf(document, first, depth)
  if ('const' in schema) return schema.const
  if ('default' in schema) return schema.default
  if (Array.isArray(schema.examples)) return schema.examples[0]
  if (Array.isArray(schema.enum)) return schema.enum[0]
  const type = Array.isArray(schema.type) ? schema.type[0] : schema.type
  if (type === 'object' && depth < deepest) {
    const required = Array.isArray(schema.required) ? schema.required.map(String) : []
    return Object.fromEntries(
      required.map((name) => [name, sampleOf(document, objectAt(schema, 'properties', name), depth + 1)]),
    )
  }
  if (type === 'array') return []
  if (type === 'integer' || type === 'number') return schema.minimum ?? 0
  return type === 'boolean' ? true : ''
}
