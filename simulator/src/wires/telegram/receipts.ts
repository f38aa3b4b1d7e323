import type { Outcome } from '../../behaviour.ts'
import type { CallbackSender } from '../../callback-sender.ts'
import { RECEIPT_GAP_MS } from '../../receipt-gap.ts'
import type { Schedule } from '../../schedule.ts'
import {
  type DeliveryStatus,
  type GatewayAccount,
  type GatewayRequest,
  moveDelivery,
} from './gateway-request.ts'
import { signCallback } from './signature.ts'

const PLANS: Record<Outcome, readonly DeliveryStatus[]> = {
  deliver: ['delivered', 'read'],
  duplicate: ['read', 'delivered', 'read', 'delivered'],
  fail: ['expired'],
  silent: [],
  unreachable: [],
  reject: [],
  error: [],
  throttle: [],
}

export class TelegramReceipts {
  readonly #token: string
  readonly #account: GatewayAccount
  readonly #sender: CallbackSender
  readonly #schedule: Schedule

  constructor(token: string, account: GatewayAccount, sender: CallbackSender, schedule: Schedule) {
    this.#token = token
    this.#account = account
    this.#sender = sender
    this.#schedule = schedule
  }

  follow(request: GatewayRequest, outcome: Outcome, callbackUrl: string | null): void {
    const steps = PLANS[outcome].map((status) => async () => {
      if (request.delivery?.status === 'revoked') return
      if (status === 'expired') this.#account.refund(request)
      moveDelivery(request, status)
      if (callbackUrl !== null) await this.#callBack(request, callbackUrl)
    })
    this.#schedule.inSequence(RECEIPT_GAP_MS, steps)
  }

  #callBack(request: GatewayRequest, url: string): Promise<void> {
    const body = JSON.stringify(this.#account.present(request))
    const headers = () => {
      const timestamp = String(Math.floor(Date.now() / 1_000))
      return {
        'x-request-timestamp': timestamp,
        'x-request-signature': signCallback(this.#token, timestamp, body),
      }
    }
    return this.#sender.postUntilAccepted({ url, body, headers })
  }
}
