/** Types that the platform brings, such as the DOM's or Node's: where there are none, this package still has types. */
export type Fetch = typeof globalThis extends { fetch: infer Type }
  ? Type
  : (url: string, request: object) => Promise<unknown>
export type Signal = typeof globalThis extends { AbortSignal: { prototype: infer Type } } ? Type : object
