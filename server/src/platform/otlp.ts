/**
 * Sends spans to a collector over OTLP, as JSON over HTTP. Written here because the official exporter does not run on
 * all Node versions that this service supports, and only this much of it is needed. Best effort: if the collector is
 * away, spans are lost, but no call is affected.
 */
import { hostname } from 'node:os'
import type { TraceOptions } from '../config.ts'
import { describeError, type Log } from './log.ts'
import { type Loop, startLoop } from './loop.ts'
import { type Span, type Tracer, Trees } from './trace.ts'

const everyMs = 1_000
const maxBatch = 500
/** Further spans are dropped: a collector that is away must not fill the memory. */
const maxWaiting = 5_000
const answerMs = 5_000

/** Span.SpanKind in opentelemetry-proto's trace.proto. */
const kinds = { internal: 1, server: 2, client: 3 } as const
/** Status.StatusCode in the same file. A span that went well has no status. */
const errorStatus = { code: 2 } as const

const nanos = (ms: number) => String(BigInt(Math.round(ms * 1_000)) * 1_000n)
const typed = (value: string | number) =>
  typeof value === 'string' ? { stringValue: value } : { intValue: String(value) }
const attributesOf = (attributes: object) =>
  Object.entries(attributes).flatMap(([key, value]) =>
    typeof value === 'string' || typeof value === 'number' ? [{ key, value: typed(value) }] : [],
  )

const plain = ({
  traceId,
  spanId,
  parentSpanId,
  name,
  kind,
  startMs,
  endMs,
  isError,
  attributes,
  link,
}: Span) => ({
  traceId,
  spanId,
  ...(parentSpanId ? { parentSpanId } : {}),
  name,
  kind: kinds[kind],
  startTimeUnixNano: nanos(startMs),
  endTimeUnixNano: nanos(endMs),
  attributes: attributesOf(attributes),
  ...(link ? { links: [link] } : {}),
  ...(isError ? { status: errorStatus } : {}),
})

/** The body of one export request. */
const exportOf = (spans: readonly Span[], resource: object) => ({
  resourceSpans: [
    {
      resource: { attributes: attributesOf(resource) },
      scopeSpans: [{ scope: { name: 'countersign' }, spans: spans.map(plain) }],
    },
  ],
})

export interface RunningTracer extends Tracer, Pick<Loop, 'close'> {}

export function startTracer({ url, headers, share }: TraceOptions, role: string, log: Log): RunningTracer {
  const waiting: Span[] = []
  const resource = {
    'service.name': `countersign-${role}`,
    'host.name': hostname(),
    'process.pid': process.pid,
  }
  let isAway = false
  const trees = new Trees({
    share,
    write: (span) => {
      if (waiting.length < maxWaiting) waiting.push(span)
    },
  })

  async function send(): Promise<boolean> {
    const some = waiting.splice(0, maxBatch)
    if (some.length === 0) return false
    try {
      const answer = await fetch(`${url.replace(/\/$/, '')}/v1/traces`, {
        method: 'POST',
        headers: { ...headers, 'content-type': 'application/json' },
        body: JSON.stringify(exportOf(some, resource)),
        signal: AbortSignal.timeout(answerMs),
      })
      await answer.body?.cancel()
      if (!answer.ok) throw new Error(`the collector answers ${answer.status}`)
      isAway = false
    } catch (error) {
      if (!isAway) log('warn', 'traces could not be sent, and are dropped', describeError(error))
      isAway = true
      return false
    }
    return waiting.length > 0
  }

  const loop = startLoop({
    pollMs: everyMs,
    round: () => {
      trees.plantOverdue()
      return send()
    },
    onError: () => {},
  })
  return {
    begin: trees.begin,
    record: trees.record,
    recordCall: trees.recordCall,
    close: async () => {
      await loop.close()
      trees.plantOverdue(true)
      while (await send());
    },
  }
}
