/** A provider's own id of a message: sealed, since it may contain the recipient. */
import type { Clock } from '../../platform/clock.ts'
import type { Keyring } from '../../platform/keyring.ts'
import { type DueDelivery, messageContext } from './delivery.ts'

/** The hash by which the id is found again. It includes the account, since two accounts may give the same id. */
export const hashMessageId = (keyring: Keyring, providerId: string, messageId: string) =>
  keyring.lookupHash('message', `${providerId} ${messageId}`)

export function sealMessageId(
  { keyring: readKeyring, clock }: { readonly keyring: () => Keyring; readonly clock: Clock },
  due: DueDelivery,
  providerId: string,
  messageId: string | null,
) {
  if (messageId === null) return null
  const keyring = readKeyring()
  const sealedId = keyring.seal(keyring.current(clock.nowMs()), messageId, messageContext(due.otpId))
  return { sealedId, hash: hashMessageId(keyring, providerId, messageId) }
}
