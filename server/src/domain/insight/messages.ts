/** The messages of one verification: which account carried each, for how much, and what it said. */
import type { ShownDelivery, StatusAnswer } from '@countersign/contract'
import { countSegments } from '../../channels/smpp/gsm7.ts'
import type { Database } from '../../platform/database.ts'
import type { CompanyId } from '../../platform/ids.ts'
import { formatMicros } from '../billing/index.ts'
import type { Provider, Providers } from '../routing/index.ts'
import type { DeliveryView } from '../verification/index.ts'
import { readAccountNames } from './account-name-store.ts'

type Deliveries = StatusAnswer['deliveries']

export async function messagesOf(
  { database, providers }: { readonly database: Database; readonly providers: Providers },
  companyId: CompanyId,
  answered: Deliveries,
  views: readonly DeliveryView[],
  seesText: boolean,
): Promise<ShownDelivery[]> {
  const carriers = [...new Set(views.map(({ providerId }) => providerId))]
  const names = await readAccountNames(database, companyId, carriers)
  const byId = new Map(views.map((view) => [view.deliveryId, view]))
  return answered.flatMap((delivery) => {
    const view = byId.get(delivery.delivery_id)
    if (!view) return []
    const { providerId, sentText, channel } = view
    return [
      {
        ...delivery,
        provider: providerOf(providerId, providers.find(providerId), names.get(providerId) ?? null),
        price: formatMicros(view.priceMicros),
        charge: view.charge,
        sent_at: view.sentAt?.toISOString() ?? null,
        segments: channel === 'sms' && sentText !== null ? countSegments(sentText).segments : null,
        text: seesText ? sentText : null,
      },
    ]
  })
}

const providerOf = (
  providerId: string,
  provider: Provider | undefined,
  name: string | null,
): ShownDelivery['provider'] => ({
  provider_id: providerId,
  kind: provider?.kind ?? null,
  name,
  owner: provider ? ownerOf(provider) : null,
})

function ownerOf({ companyId, isSimulated }: Provider): ShownDelivery['provider']['owner'] {
  if (isSimulated) return 'simulator'
  return companyId ? 'company' : 'operator'
}
