/** The code of an error, or of what has caused it; null where neither has one. */
export function codeOf(error: unknown): string | null {
  if (!(error instanceof Error)) return null
  if ('code' in error && typeof error.code === 'string' && error.code !== '') return error.code
  return codeOf(error.cause)
}
