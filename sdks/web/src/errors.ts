export interface ErrorFacts {
  readonly type: string
  readonly message: string
  readonly status: number | null
  readonly requestId: string
  readonly retryAfter: number | null
  readonly details: Readonly<Record<string, unknown>>
}

/** Choose your words by `type`; `message` is for developers. */
export class CountersignError extends Error {
  override name = 'CountersignError'
  /** The `type` of the API's error body; `ConnectionError` or `TimeoutError` if no answer came. */
  readonly type: string
  /** The HTTP status; null if no answer came. */
  readonly status: number | null
  /** Identifies this call in the service's log, even if no answer came. */
  readonly requestId: string
  /** Seconds, on 429 and 503. */
  readonly retryAfter: number | null
  /** The details of the API's error body, unchanged. */
  readonly details: Readonly<Record<string, unknown>>

  constructor(facts: ErrorFacts) {
    super(facts.message)
    this.type = facts.type
    this.status = facts.status
    this.requestId = facts.requestId
    this.retryAfter = facts.retryAfter
    this.details = facts.details
  }
}
