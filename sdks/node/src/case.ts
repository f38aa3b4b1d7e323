/** The wire speaks snake_case, JavaScript camelCase. Names change; values, and what `details` and `facts` hold, do not. */

const asIs: ReadonlySet<string> = new Set(['details', 'facts'])

export const toCamel = (value: unknown): unknown =>
  renameKeys(value, (key) => key.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase()))

export const toSnake = (value: unknown): unknown =>
  renameKeys(value, (key) => key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`))

function renameKeys(value: unknown, rename: (key: string) => string): unknown {
  if (Array.isArray(value)) return value.map((item) => renameKeys(item, rename))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [
      rename(key),
      asIs.has(key) ? inner : renameKeys(inner, rename),
    ]),
  )
}
