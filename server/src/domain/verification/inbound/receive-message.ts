/**
 * Handles a message that a person wrote to one of the service's WhatsApp numbers.
 *
 * It counts only if it contains the reference of a pending verification on that number and the sender is the recipient.
 * In `link_inbound` it approves; in `link_code` it is answered with the code.
 */
import type { InboundMessage } from '../../../channels/channel.ts'
import type { Clock } from '../../../platform/clock.ts'
import type { Database } from '../../../platform/database.ts'
import { newId } from '../../../platform/ids.ts'
import type { Keyring } from '../../../platform/keyring.ts'
import type { Metrics } from '../../../platform/metrics.ts'
import { operatorOwner } from '../../../platform/tenant.ts'
import { priceOf, type ReadPrices } from '../../billing/index.ts'
import { messageContext } from '../../delivery/index.ts'
import { canonicalPhone } from '../../guard/index.ts'
import type { Provider } from '../../routing/index.ts'
import { otpEvent } from '../../webhooks/index.ts'
import { hashReference, whatsappNumberOf } from '../link.ts'
import { referencesIn } from './references.ts'
import * as store from './store.ts'

export interface ReceiveDependencies {
  readonly database: Database
  readonly keyring: () => Keyring
  readonly clock: Clock
  readonly prices: ReadPrices
  readonly nudge: () => void
  readonly metrics: Pick<Metrics, 'countApproval'>
}

export async function receiveMessage(
  { database, keyring: readKeyring, clock, prices, nudge, metrics }: ReceiveDependencies,
  provider: Provider,
  message: InboundMessage,
): Promise<void> {
  if (message.from === null) return
  const keyring = readKeyring()
  const hashes = referencesIn(message.text).map((reference) => hashReference(keyring, reference))
  const ownerId = provider.companyId ?? operatorOwner
  const link = await store.findLink(database, ownerId, whatsappNumberOf(provider), hashes)
  if (!link) return
  const senderHash = keyring.lookupHash('recipient', canonicalPhone(message.from))
  if (link.linkMode === 'link_inbound') {
    const isApproved = await store.approveInbound(
      database.of(link.companyId),
      link,
      senderHash,
      otpEvent('approved', link.otpId, clock.nowMs()),
    )
    if (isApproved) metrics.countApproval('whatsapp', link.country)
    return
  }
  const priceMicros = priceOf(await prices(), 'whatsapp_reply', link.country)
  const isAnswered = await store.answerWithCode(database, link, {
    senderHash,
    messageHash: keyring.lookupHash('inbound', message.messageId),
    sealedMessageId: keyring.seal(
      keyring.current(clock.nowMs()),
      message.messageId,
      messageContext(link.otpId),
    ),
    providerId: provider.providerId,
    deliveryId: newId('delivery', clock.nowMs()),
    entryId: newId('entry', clock.nowMs()),
    priceMicros,
  })
  if (isAnswered) nudge()
}
