/** When a call is made once more, and after how long. */
import { ConnectionError, RateLimitError, UnavailableError } from './errors.ts'
import type { Signal } from './platform.ts'

const firstDelayMs = 250
const longestDelayMs = 4_000
/** Somebody waits for the answer: a longer wait is the caller's decision. */
const longestObeyedRetryAfterSeconds = 5

export interface Attempt {
  /** How many retries came before. */
  readonly retries: number
  readonly maxRetries: number
  readonly isRepeatable: boolean
}

export function shouldRetry(error: unknown, { retries, maxRetries, isRepeatable }: Attempt): boolean {
  // The call may have taken effect, and doing it twice would show.
  if (!isRepeatable) return false
  if (retries >= maxRetries) return false
  // Nobody answered, or the connection broke on the way.
  if (error instanceof ConnectionError) return true
  // Away for a moment, or at a limit that will soon allow it, unless the service says that it takes longer.
  if (error instanceof UnavailableError || error instanceof RateLimitError)
    return (error.retryAfter ?? 0) <= longestObeyedRetryAfterSeconds
  // Everything else is an answer, such as a refusal or a bug, and the same call would get it again.
  return false
}

/** The delay doubles, and half of it is random, so that callers who failed together do not return together. */
export function retryDelayMs(error: unknown, retries: number, random: () => number = Math.random): number {
  const backoffMs = Math.min(firstDelayMs * 2 ** retries, longestDelayMs)
  const jitteredMs = backoffMs * (0.5 + random() / 2)
  const isAskedToWait = error instanceof UnavailableError || error instanceof RateLimitError
  const askedSeconds = isAskedToWait ? (error.retryAfter ?? 0) : 0
  return askedSeconds > 0 ? askedSeconds * 1000 + random() * firstDelayMs : jitteredMs
}

/** Rejects early, with the reason of the signal, when the caller gives up. */
export function sleep(delayMs: number, signal: Signal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const giveUp = () => {
      clearTimeout(timer)
      reject(signal?.reason)
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', giveUp)
      resolve()
    }, delayMs)
    signal?.addEventListener('abort', giveUp, { once: true })
  })
}
