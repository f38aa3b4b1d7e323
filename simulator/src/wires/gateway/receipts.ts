import { createHmac } from 'node:crypto'
import type { Outcome } from '../../behaviour.ts'
import type { CallbackSender } from '../../callback-sender.ts'
import { RECEIPT_GAP_MS } from '../../receipt-gap.ts'
import type { Schedule } from '../../schedule.ts'

const PLANS: Record<Outcome, readonly string[]> = {
  deliver: ['sent', 'delivered'],
  duplicate: ['delivered', 'sent', 'delivered'],
  fail: ['sent', 'failed'],
  silent: [],
  unreachable: [],
  reject: [],
  error: [],
  throttle: [],
}

interface Sent {
  readonly id: string
  readonly reference: string | null
  readonly callbackUrl: string | null
  /** The key of the call, which also signs its receipts. */
  readonly key: string
}

/** Receipts as JSON, with an HMAC of their bytes in `X-Signature`. */
export class GatewayReceipts {
  readonly #sender: CallbackSender
  readonly #schedule: Schedule

  constructor(sender: CallbackSender, schedule: Schedule) {
    this.#sender = sender
    this.#schedule = schedule
  }

  follow(outcome: Outcome, { id, reference, callbackUrl, key }: Sent): void {
    if (callbackUrl === null || !URL.canParse(callbackUrl)) return
    const steps = PLANS[outcome].map((status) => () => {
      const error = status === 'failed' ? 'absent' : null
      const body = JSON.stringify({ id, reference, status, error })
      const signature = createHmac('sha256', key).update(body).digest('hex')
      const headers = () => ({ 'x-signature': signature })
      return this.#sender.postUntilAccepted({ url: callbackUrl, body, headers })
    })
    this.#schedule.inSequence(RECEIPT_GAP_MS, steps)
  }
}
