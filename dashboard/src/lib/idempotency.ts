/**
 * The same change gets the same idempotency key until it has succeeded, even if its dialog was closed meanwhile: if its
 * answer was lost, trying again does not act a second time. After some minutes it is a change of its own.
 */
const keys = new Map<string, { readonly key: string; readonly sinceMs: number }>()
const keptMs = 5 * 60_000

const textOf = (name: string, input: unknown) => JSON.stringify([name, input])

export function keyOf(name: string, input: unknown): string {
  const nowMs = performance.now()
  for (const [text, { sinceMs }] of keys) if (nowMs - sinceMs > keptMs) keys.delete(text)
  const text = textOf(name, input)
  const { key } = keys.get(text) ?? { key: newKey() }
  if (!keys.has(text)) keys.set(text, { key, sinceMs: nowMs })
  return key
}

/** After a success, the same again is another change. */
export const forgetKey = (name: string, input: unknown): void => void keys.delete(textOf(name, input))

// Not `randomUUID`, which browsers have only on pages from HTTPS or from this machine.
const newKey = () => crypto.getRandomValues(new Uint32Array(4)).join('-')
