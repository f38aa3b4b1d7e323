type Json = Readonly<Record<string, unknown>>

export const isRecord = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** The value itself if it is an object, else an empty object. */
export const recordOf = (value: unknown): Json => (isRecord(value) ? value : {})
