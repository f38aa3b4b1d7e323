/** Receives delivery status notifications: mail to the return paths that our accounts gave out. */
import type { Receipt } from '../channels/channel.ts'
import { type BounceListener, startBounceListener } from '../channels/smtp/bounce-listener.ts'
import type { Listeners } from '../domain/routing/index.ts'

/** Separates the account from the delivery; neither id contains it. */
const separator = '/'

export function startBounces(
  { host, port }: { readonly host: string; readonly port: number },
  providers: Listeners,
  onReceipt: (providerId: string, receipt: Receipt) => Promise<void>,
): Promise<BounceListener> {
  return startBounceListener({
    host,
    port,
    verifyReturnPath: (address) => {
      for (const { providerId, account } of providers.listeners()) {
        const deliveryId = account.ownsReturnPath?.(address)
        if (deliveryId) return `${providerId}${separator}${deliveryId}`
      }
      return null
    },
    onReceipt: async (receipt) => {
      const [providerId, deliveryId] = receipt.deliveryId?.split(separator) ?? []
      if (providerId && deliveryId) await onReceipt(providerId, { ...receipt, deliveryId })
    },
  })
}
