/**
 * Traces, off unless a collector is configured. Everything that happens to one verification is one tree, on whichever
 * nodes it happens: the ids of the trace and of its root are derived from the verification's id, so nothing has to be
 * passed along in rows, messages or callbacks.
 */
import { createHash, randomBytes } from 'node:crypto'

/** What a span may contain: names of the service and of providers, but nothing that a person typed, owns or knows. */
interface SpanAttributes {
  readonly 'http.request.method'?: string
  readonly 'http.route'?: string
  readonly 'http.response.status_code'?: number
  readonly 'error.type'?: string
  readonly 'countersign.otp_id'?: string
  readonly 'countersign.app_id'?: string
  readonly 'countersign.delivery_id'?: string
  readonly 'countersign.event_id'?: string
  readonly 'countersign.event_type'?: string
  readonly 'countersign.endpoint_id'?: string
  readonly 'countersign.channel'?: string
  readonly 'countersign.country'?: string
  readonly 'countersign.provider'?: string
  readonly 'countersign.account'?: string
  readonly 'countersign.outcome'?: string
  readonly 'countersign.attempt'?: number
  readonly 'countersign.batch_calls'?: number
}

export interface SpanOf {
  /** The id of the verification that it is about, or of the request if it is about none. */
  readonly subject: string
  readonly name: string
  readonly kind: 'internal' | 'server' | 'client'
  readonly durationMs: number
  readonly isError?: boolean
  readonly attributes: SpanAttributes
  /** The caller's own trace, from its `traceparent` header. */
  readonly traceparent?: string | undefined
}

export interface Span extends Omit<SpanOf, 'subject' | 'durationMs' | 'traceparent'> {
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId: string | null
  readonly startMs: number
  readonly endMs: number
  readonly link: { readonly traceId: string; readonly spanId: string } | null
}

export interface Tracer {
  /** A verification has begun: the next call about it is the root of its tree. */
  readonly begin: (otpId: string) => void
  /** Records something that has just ended. */
  readonly record: (span: SpanOf) => void
  /** Records the call that began a verification, or a later call about it. */
  readonly recordCall: (span: SpanOf) => void
}

const hashOf = (text: string) => createHash('sha256').update(text).digest('hex')
const traceIdOf = (subject: string) => hashOf(subject).slice(0, 32)
const rootIdOf = (subject: string) => hashOf(subject).slice(32, 48)

/** W3C Trace Context, version 00. */
const traceparentForm = /^00-([0-9a-f]{32})-([0-9a-f]{16})-[0-9a-f]{2}$/

/** A verification whose first call is never seen here (a canary, a dashboard code) gets its root after this time. */
const rootAfterMs = 10_000
const mostBegun = 10_000

export interface TracerOptions {
  /** The share of all trees to record, from 0 to 1; every node chooses the same ones. */
  readonly share: number
  readonly write: (span: Span) => void
  readonly nowMs?: () => number
}

export class Trees implements Tracer {
  readonly #options: TracerOptions
  readonly #begun = new Map<string, number>()

  constructor(options: TracerOptions) {
    this.#options = options
  }

  readonly begin = (otpId: string): void => {
    if (!this.#isWanted(otpId)) return
    const [oldest] = this.#begun.keys()
    if (this.#begun.size >= mostBegun && oldest !== undefined) this.#plant(oldest)
    this.#begun.set(otpId, this.#nowMs())
  }

  readonly record = (span: SpanOf): void => {
    if (this.#isWanted(span.subject))
      this.#write(span, randomBytes(8).toString('hex'), rootIdOf(span.subject))
  }

  readonly recordCall = (span: SpanOf): void => {
    const { subject } = span
    if (!this.#isWanted(subject)) return
    const isRoot = this.#begun.delete(subject) || subject.startsWith('req_')
    this.#write(
      span,
      isRoot ? rootIdOf(subject) : randomBytes(8).toString('hex'),
      isRoot ? null : rootIdOf(subject),
    )
  }

  /** Writes a root for verifications whose call did not come. */
  plantOverdue(isAll = false): void {
    for (const [otpId, atMs] of this.#begun)
      if (isAll || atMs <= this.#nowMs() - rootAfterMs) this.#plant(otpId)
  }

  #plant(otpId: string): void {
    const atMs = this.#begun.get(otpId) ?? this.#nowMs()
    this.#begun.delete(otpId)
    const attributes = { 'countersign.otp_id': otpId }
    const root = { subject: otpId, name: 'verification', kind: 'internal', attributes } as const
    this.#write({ ...root, durationMs: this.#nowMs() - atMs }, rootIdOf(otpId), null)
  }

  #write(span: SpanOf, spanId: string, parentSpanId: string | null): void {
    const { subject, durationMs, traceparent, ...rest } = span
    const endMs = this.#nowMs()
    const [, traceId, callerId] = traceparentForm.exec(traceparent ?? '') ?? []
    this.#options.write({
      ...rest,
      traceId: traceIdOf(subject),
      spanId,
      parentSpanId,
      startMs: endMs - durationMs,
      endMs,
      link: traceId && callerId ? { traceId, spanId: callerId } : null,
    })
  }

  #nowMs(): number {
    return this.#options.nowMs?.() ?? Date.now()
  }

  #isWanted(subject: string): boolean {
    return (
      this.#options.share >= 1 ||
      Number.parseInt(hashOf(subject).slice(0, 8), 16) / 2 ** 32 < this.#options.share
    )
  }
}
