/** Records a call in a trace: under its verification or, without one, as for a refused send, under its own id. */
import type { Principal } from '../domain/tenancy/index.ts'
import type { Tracer } from '../platform/trace.ts'

export interface TracedCall {
  readonly method: string
  /** The path with names in place of ids. */
  readonly route: string
  readonly status: number
  readonly durationMs: number
  readonly requestId: string
  readonly traceparent: string | string[] | undefined
  readonly principal: Principal
  readonly otpId?: string | undefined
}

export function traceCall(tracer: Tracer, call: TracedCall): void {
  const { method, route, status, durationMs, requestId, traceparent, principal, otpId } = call
  tracer.recordCall({
    subject: otpId ?? `req_${requestId}`,
    name: `${method} ${route}`,
    kind: 'server',
    durationMs,
    isError: status >= 500,
    traceparent: typeof traceparent === 'string' ? traceparent : undefined,
    attributes: {
      'http.request.method': method,
      'http.route': route,
      'http.response.status_code': status,
      'countersign.app_id': principal.app.appId,
      ...(otpId ? { 'countersign.otp_id': otpId } : {}),
    },
  })
}
