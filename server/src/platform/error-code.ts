/** The code of an error, or of its cause; null if neither has one. */
export function codeOf(error: unknown): string | null {
  if (!(error instanceof Error)) return null
  if ('code' in error && typeof error.code === 'string' && error.code !== '') return error.code
  return codeOf(error.cause)
}

/** Whether a connection could not be made, for any reason, such as a Unix socket that does not exist. */
export function failsToConnect(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  return ('syscall' in error && error.syscall === 'connect') || failsToConnect(error.cause)
}
