/** Idempotency keys: one for each start, kept while it is not known whether the last start was received. */
import { randomId } from './random-id.ts'

/** How long a repeated start counts as the same one. */
const sameStartMs = 60_000

export interface AttemptKeys {
  readonly keyFor: (recipient: string) => string
  /** Called when the answer has come: the next start gets a new key. */
  readonly settle: () => void
}

export function createAttemptKeys(): AttemptKeys {
  let open: { readonly recipient: string; readonly key: string; readonly atMs: number } | null = null
  return {
    keyFor: (recipient) => {
      const isSame = open?.recipient === recipient && Date.now() - open.atMs < sameStartMs
      open = { recipient, key: open && isSame ? open.key : randomId(), atMs: Date.now() }
      return open.key
    },
    settle: () => {
      open = null
    },
  }
}
