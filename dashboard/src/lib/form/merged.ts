/** Two people changed the same values: one has saved them, the other is still typing. */
export const isSame = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other)

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const isNothing = (value: unknown) => value === undefined || value === null || value === ''

/**
 * What was typed since `before` stays, and the rest is as it was saved; a list is one value. Fields that both have added
 * are as the one has them who has filled them in.
 */
export function merged(typed: unknown, before: unknown, saved: unknown): unknown {
  if (isSame(typed, before) || (before === undefined && isNothing(typed))) return saved
  if (!isRecord(typed) || !isRecord(saved)) return typed
  const names = new Set([...Object.keys(saved), ...Object.keys(typed)])
  const earlier = isRecord(before) ? before : {}
  return Object.fromEntries(
    [...names]
      .map((name) => [name, merged(typed[name], earlier[name], saved[name])] as const)
      .filter(([, value]) => value !== undefined),
  )
}
