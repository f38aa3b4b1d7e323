/** A `localStorage` for as long as `work` takes. It is removed again, since test files share a process. */
export async function withStorage(work: () => unknown): Promise<void> {
  const stored = new Map<string, string>()
  Object.defineProperty(globalThis, 'localStorage', {
    value: {
      getItem: (key: string) => stored.get(key) ?? null,
      setItem: (key: string, value: string) => stored.set(key, value),
    },
    configurable: true,
  })
  try {
    await work()
  } finally {
    Reflect.deleteProperty(globalThis, 'localStorage')
  }
}
