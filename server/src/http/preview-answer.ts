/** What a send would do, as the API answers it. */
import { errorCatalogue, resultOf } from '@countersign/contract'
import { formatMicros } from '../domain/billing/index.ts'
import type { Preview } from '../domain/verification/index.ts'

export function previewAnswer(seen: Preview) {
  const decision = seen.decision.map(resultOf)
  if ('error' in seen) {
    const { message, details, errorName } = seen.error
    return { error: { type: errorCatalogue[errorName].type, message, details: { ...details } }, decision }
  }
  return { channel: seen.channel, order: [...seen.order], price: formatMicros(seen.priceMicros), decision }
}
