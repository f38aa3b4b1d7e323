type Json = Readonly<Record<string, unknown>>

export const isRecord = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Empty for what is not an object. */
export const recordOf = (value: unknown): Json => (isRecord(value) ? value : {})
