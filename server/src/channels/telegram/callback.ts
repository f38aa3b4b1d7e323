import { createHash, createHmac } from 'node:crypto'
import { z } from 'zod'
import type { CallbackRequest, CallbackResult, Receipt } from '../channel.ts'
import { equalsInConstantTime } from '../constant-time.ts'
import { parseJsonWithIds } from '../http-outcome.ts'
import { providerError } from '../provider-error.ts'
import { requestId } from './request-id.ts'
import type { TelegramSettings } from './settings.ts'

const MAX_AGE_SECONDS = 300

const requestStatus = z.object({
  request_id: requestId,
  delivery_status: z.object({ status: z.string() }).nullish(),
  payload: z.string().nullish().catch(null),
})

export function parseCallback(settings: TelegramSettings, request: CallbackRequest): CallbackResult {
  if (request.method !== 'POST') return { kind: 'rejected', reason: 'method' }
  const timestamp = request.headers['x-request-timestamp'] ?? ''
  const signature = request.headers['x-request-signature'] ?? ''
  if (!equalsInConstantTime(sign(settings.token, timestamp, request.body), signature.toLowerCase())) {
    return { kind: 'rejected', reason: 'signature' }
  }
  const ageSeconds = Math.abs(request.nowMs / 1_000 - Number(timestamp))
  if (!(ageSeconds <= MAX_AGE_SECONDS)) return { kind: 'rejected', reason: 'stale' }
  const parsed = requestStatus.safeParse(parseJsonWithIds(request.body))
  if (!parsed.success || (parsed.data.request_id === null && !parsed.data.payload)) {
    return { kind: 'rejected', reason: 'malformed' }
  }
  const receipt = readReceipt(parsed.data)
  return { kind: 'accepted', receipts: receipt === null ? [] : [receipt], inbound: [] }
}

function sign(token: string, timestamp: string, body: Buffer): string {
  const key = createHash('sha256').update(token, 'utf8').digest()
  return createHmac('sha256', key).update(`${timestamp}\n`, 'utf8').update(body).digest('hex')
}

function readReceipt(report: z.infer<typeof requestStatus>): Receipt | null {
  const names = { deliveryId: report.payload || null, messageId: report.request_id }
  switch (report.delivery_status?.status) {
    case 'delivered':
    case 'read':
      return { ...names, status: 'delivered', error: null, unreachable: false }
    case 'expired':
      return {
        ...names,
        status: 'failed',
        error: providerError('expired', 'Not delivered in time.'),
        unreachable: false,
      }
    case 'revoked':
      return {
        ...names,
        status: 'failed',
        error: providerError('revoked', 'Taken back.'),
        unreachable: false,
      }
    default:
      return null
  }
}
