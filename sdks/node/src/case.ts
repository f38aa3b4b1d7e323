/** The wire speaks snake_case, JavaScript camelCase. Names change; values, and what `details` and `facts` hold, do not. */

const asIs: ReadonlySet<string> = new Set(['details', 'facts'])
/** No answer of the service nests half as deep. What does is left as it is: it would use the stack up. */
const deepest = 32

export const toCamel = (value: unknown): unknown =>
  renameKeys(value, (key) => key.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase()))

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
