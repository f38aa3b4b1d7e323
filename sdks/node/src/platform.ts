/** Types of the platform, such as the DOM's or Node's. If they are missing, this package still compiles. */
export type Fetch = typeof globalThis extends { fetch: infer Type }
  ? Type
  : (url: string, request: object) => Promise<unknown>
export type Signal = typeof globalThis extends { AbortSignal: { prototype: infer Type } } ? Type : object
