/** What a repeated call is recognised by. */

/** An empty one is replaced too: the service treats it as none, and a retry would act twice. */
export function idempotencyKeyOf(given: string | undefined): string {
  const idempotencyKey = given || crypto.randomUUID()
  // Otherwise fetch would refuse it with an error that looks like a network problem.
  if (!/^[\x21-\x7e]*$/.test(idempotencyKey))
    throw new TypeError('idempotencyKey must be ASCII, without spaces.')
  return idempotencyKey
}
