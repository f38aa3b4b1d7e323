/** Caches the values of up to `most` keys, then clears the cache and starts again. */
export function memo<Argument, Value>(
  most: number,
  keyOf: (argument: Argument) => string | number,
  make: (argument: Argument) => Value,
): (argument: Argument) => Value {
  const made = new Map<string | number, { readonly value: Value }>()
  return (argument) => {
    const key = keyOf(argument)
    const known = made.get(key)
    if (known) return known.value
    const value = make(argument)
    if (made.size >= most) made.clear()
    made.set(key, { value })
    return value
  }
}

export const byText = (text: string): string => text
