/** Receives delivery status notifications: mail to the return paths that our accounts gave out. */
import type { Receipt } from '../channels/channel.ts'
import { type BounceListener, startBounceListener } from '../channels/smtp/bounce-listener.ts'
import type { Provider } from '../domain/routing/index.ts'

/** Separates the accounts from each other and from the delivery; no id contains it. */
const separator = '/'

export function startBounces(
  { host, port }: { readonly host: string; readonly port: number },
  providers: { readonly listeners: () => Iterable<Pick<Provider, 'providerId' | 'account'>> },
  onReceipt: (providerId: string, receipt: Receipt) => Promise<void>,
): Promise<BounceListener> {
  return startBounceListener({
    host,
    port,
    // Two relays may share a return path, which then does not tell whose mail it was; each knows its own deliveries.
    verifyReturnPath: (address) => {
      const owners = [...providers.listeners()].flatMap(({ providerId, account }) => {
        const deliveryId = account.ownsReturnPath?.(address)
        return deliveryId ? [{ providerId, deliveryId }] : []
      })
      const [first] = owners
      if (first === undefined) return null
      return [first.deliveryId, ...owners.map(({ providerId }) => providerId)].join(separator)
    },
    onReceipt: async (receipt) => {
      const [deliveryId, ...owners] = receipt.deliveryId?.split(separator) ?? []
      if (!deliveryId) return
      for (const providerId of owners) await onReceipt(providerId, { ...receipt, deliveryId })
    },
  })
}
