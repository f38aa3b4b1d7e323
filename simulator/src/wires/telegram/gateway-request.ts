import { randomInt } from 'node:crypto'

export type DeliveryStatus = 'sent' | 'delivered' | 'read' | 'expired' | 'revoked'

/** One request to verify a number; it may or may not have been used for a message yet. */
export interface GatewayRequest {
  readonly id: string
  readonly phone: string
  readonly createdAt: number
  cost: number
  code: string | null
  payload: string | null
  ttlSeconds: number | null
  isRefunded: boolean
  delivery: { status: DeliveryStatus; updatedAt: number } | null
  verification: { status: string; updatedAt: number; codeEntered: string } | null
}

const MESSAGE_COST = 0.01
const FIRST_BALANCE = 1_000_000
const MAX_REQUESTS = 20_000

/** The account of one gateway token: its balance and its requests. */
export class GatewayAccount {
  readonly #requests = new Map<string, GatewayRequest>()
  #nextId = BigInt(randomInt(1, 2 ** 40)) * 1_000_000n
  #spentCents = 0

  open(phone: string): GatewayRequest {
    this.#nextId += 1n
    const request: GatewayRequest = {
      id: this.#nextId.toString(),
      phone,
      createdAt: Date.now(),
      cost: MESSAGE_COST,
      code: null,
      payload: null,
      ttlSeconds: null,
      isRefunded: false,
      delivery: null,
      verification: null,
    }
    this.#spentCents += 1
    this.#requests.set(request.id, request)
    const oldest = this.#requests.keys().next().value
    if (this.#requests.size > MAX_REQUESTS && oldest !== undefined) this.#requests.delete(oldest)
    return request
  }

  find(id: string): GatewayRequest | null {
    return this.#requests.get(id) ?? null
  }

  refund(request: GatewayRequest): void {
    if (request.isRefunded) return
    request.isRefunded = true
    this.#spentCents -= 1
  }

  /** The RequestStatus object of the Gateway API. */
  present(request: GatewayRequest): Record<string, unknown> {
    const { delivery, verification } = request
    return {
      request_id: request.id,
      phone_number: request.phone.replace(/^\+/, ''),
      request_cost: request.cost,
      ...(request.isRefunded ? { is_refunded: true } : {}),
      remaining_balance: FIRST_BALANCE - this.#spentCents / 100,
      ...(delivery === null
        ? {}
        : { delivery_status: { status: delivery.status, updated_at: seconds(delivery.updatedAt) } }),
      ...(verification === null
        ? {}
        : {
            verification_status: {
              status: verification.status,
              updated_at: seconds(verification.updatedAt),
              code_entered: verification.codeEntered,
            },
          }),
      ...(request.payload === null ? {} : { payload: request.payload }),
    }
  }
}

export function moveDelivery(request: GatewayRequest, status: DeliveryStatus): void {
  request.delivery = { status, updatedAt: Date.now() }
}

function seconds(milliseconds: number): number {
  return Math.floor(milliseconds / 1_000)
}
