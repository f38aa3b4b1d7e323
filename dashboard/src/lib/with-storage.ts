/** For tests: what a browser remembers, for as long as `work` takes. Files of tests share a process. */
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
