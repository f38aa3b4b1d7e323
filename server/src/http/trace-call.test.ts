import assert from 'node:assert/strict'
import { it } from 'node:test'
import type { Principal } from '../domain/tenancy/index.ts'
import type { Tracer } from '../platform/trace.ts'
import { traceCall } from './trace-call.ts'

it('a call is an error of its trace where the service failed, and not where it refused', () => {
  const errors = [200, 404, 429, 499, 500, 503].map((status) => {
    let isError: boolean | undefined
    const recordCall: Tracer['recordCall'] = (call) => {
      isError = call.isError
    }
    traceCall({ recordCall } as Tracer, {
      method: 'POST',
      route: '/api/v1/otp/send',
      status,
      durationMs: 1,
      requestId: 'req_1',
      traceparent: undefined,
      principal: { app: { appId: 'app_1' } } as unknown as Principal,
    })
    return isError
  })
  assert.deepEqual(errors, [false, false, false, false, true, true])
})
