/** A source that cannot be used as it is. The message is for the operator's log and contains no secret. */
export class UnreadableError extends Error {}

/** Of other errors only the code is reported: their messages may contain an address with its credentials. */
export function reasonOf(error: unknown): string {
  if (error instanceof UnreadableError) return error.message
  for (const each of [error, error instanceof Error ? error.cause : null]) {
    if (each instanceof Error && 'code' in each && typeof each.code === 'string') return each.code
  }
  return error instanceof Error ? error.name : 'unknown'
}
