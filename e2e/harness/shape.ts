/** An answer without what is new each time: ids, times, secrets and figures stand for their kind. */

const kinds: readonly (readonly [pattern: RegExp, kind: string])[] = [
  [/^([a-z]{3})_[0-9a-z]{26}$/, '$1_…'],
  [/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{3})?Z$/, 'time'],
  [/^otp_(sk|pk|vt)_.+$/, 'otp_$1_…'],
  [/^whsec_.+$/, 'whsec_…'],
  [/^-?\d+\.\d{6}$/, 'money'],
  [/^https:\/\/wa\.me\/\d+\?text=.+$/, 'a link to a chat'],
]

/** Within a sentence: what was spent in this hour is less once the next one has begun. */
const amounts = /\b\d+\.\d{6}\b/g

/** Compared as it is, since readers learn from it how many attempts a right first code leaves. */
const exact = 'attempts_remaining'
/** Counted every now and then, so there or not yet; and the end of a key, which is made of chance. */
const left = new Set(['last_used_at', 'ratio', 'usual_ratio', 'ends_with'])

/** Of a delivery. Its receipt may come after the look, and the carrier has the message either way. */
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
