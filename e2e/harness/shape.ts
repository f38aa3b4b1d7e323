/** Reduces an answer to its shape: ids, times, secrets and numbers differ each time, so their kind replaces them. */

const kinds: readonly (readonly [pattern: RegExp, kind: string])[] = [
  [/^([a-z]{3})_[0-9a-z]{26}$/, '$1_…'],
  [/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{3})?Z$/, 'time'],
  [/^otp_(sk|pk|vt)_.+$/, 'otp_$1_…'],
  [/^whsec_.+$/, 'whsec_…'],
  [/^-?\d+\.\d{6}$/, 'money'],
  [/^https:\/\/wa\.me\/\d+\?text=.+$/, 'a link to a chat'],
]

/** Amounts within a sentence differ too: what was spent in this hour depends on when it began. */
const amounts = /\b\d+\.\d{6}\b/g

/** Compared exactly, because readers learn from it how many attempts are left after a right first code. */
const exact = 'attempts_remaining'
/** Not compared: these are updated now and then, or, like the end of a key, random. */
const left = new Set(['last_used_at', 'ratio', 'usual_ratio', 'ends_with'])

/** The status of a delivery: `sent` counts as `delivered`, because its receipt may arrive later. */
const ofDelivery = new Set(['status', 'delivery_status'])

export function shapeOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(shapeOf)
  if (typeof value === 'object' && value !== null)
    return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, shapeOfField(name, each)]))
  if (typeof value === 'number') return 'number'
  if (typeof value !== 'string') return value
  for (const [pattern, kind] of kinds) if (pattern.test(value)) return value.replace(pattern, kind)
  return value.replaceAll(amounts, 'money')
}

function shapeOfField(name: string, value: unknown): unknown {
  if (name === exact) return value
  if (left.has(name)) return null
  return ofDelivery.has(name) && value === 'sent' ? 'delivered' : shapeOf(value)
}
