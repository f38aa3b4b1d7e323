/** The API uses snake_case, JavaScript camelCase. Names change; values, and the contents of `details` and `facts`, do not. */

const asIs: ReadonlySet<string> = new Set(['details', 'facts'])
/** More than twice as deep as any answer of the service. What is deeper is left as it is, or the stack would overflow. */
const deepest = 32

export const camel = (name: string): string =>
  name.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase())

export const toCamel = (value: unknown): unknown => renameKeys(value, camel)

export const toSnake = (value: unknown): unknown =>
  renameKeys(value, (key) => key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`))

function renameKeys(value: unknown, rename: (key: string) => string, depth = 0): unknown {
  if (typeof value !== 'object' || value === null || depth > deepest) return value
  if (Array.isArray(value)) return value.map((item) => renameKeys(item, rename, depth + 1))
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [
      rename(key),
      asIs.has(key) ? inner : renameKeys(inner, rename, depth + 1),
    ]),
  )
}
