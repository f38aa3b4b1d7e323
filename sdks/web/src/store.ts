/** A value that changes, with listeners. */
export interface Store<Value> {
  readonly get: () => Value
  readonly set: (value: Value) => void
  readonly subscribe: (listener: () => void) => () => void
  readonly hasListeners: () => boolean
}

export function createStore<Value>(first: Value): Store<Value> {
  // Wrapped, so that the same function may listen twice.
  const listeners = new Set<{ readonly call: () => void }>()
  let value = first
  return {
    get: () => value,
    set: (next) => {
      value = next
      for (const { call } of [...listeners]) call()
    },
    subscribe: (call) => {
      const listener = { call }
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    hasListeners: () => listeners.size > 0,
  }
}
