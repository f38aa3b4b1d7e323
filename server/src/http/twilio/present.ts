/** Verifications, presented as Twilio's clients expect them. */
import type { ChannelName } from '@countersign/contract'
import type { App } from '../../domain/tenancy/index.ts'
import type { DeliveryView, FoundVerification } from '../../domain/verification/index.ts'
import { sidOf } from '../../platform/sids.ts'
import { type TwilioDependencies, urlOf } from './call.ts'

export const serviceSidOf = ({ appId }: Pick<App, 'appId'>) => sidOf('app', appId)
export const accountSidOf = ({ companyId }: Pick<App, 'companyId'>) => sidOf('company', companyId)

/** In whole seconds, as Twilio writes dates. */
export const dateOf = (date: Date) => date.toISOString().replace(/\.\d{3}Z$/, 'Z')

const channelWords: Readonly<Record<ChannelName, string>> = {
  sms: 'SMS',
  email: 'EMAIL',
  whatsapp: 'whatsapp',
  telegram: 'telegram',
}

export function twilioStatusOf({ verification: { status }, isExpired, cancelledAt }: FoundVerification) {
  if (isExpired) return 'expired'
  if (status !== 'failed') return status
  return cancelledAt ? 'canceled' : 'max_attempts_reached'
}

const latest = (dates: readonly Date[]) => new Date(Math.max(...dates.map((date) => date.getTime())))

export interface Shown {
  readonly app: App
  readonly found: FoundVerification
  readonly deliveries: readonly DeliveryView[]
  /** The recipient as this call wrote it; null if the call named only the SID: the answer then has the masked one. */
  readonly to: string | null
}

const sharedOf = ({ app, found, deliveries, to }: Shown) => {
  const { verification, guessedAt, cancelledAt } = found
  const { otpId, channel, maskedRecipient, createdAt, verifiedAt } = verification
  const status = twilioStatusOf(found)
  const changes = [createdAt, ...guessedAt, verifiedAt, cancelledAt].filter((date) => date !== null)
  return {
    sid: sidOf('verification', otpId),
    service_sid: serviceSidOf(app),
    account_sid: accountSidOf(app),
    to: to ?? maskedRecipient,
    channel,
    status,
    valid: status === 'approved',
    amount: null,
    payee: null,
    date_created: dateOf(createdAt),
    date_updated: dateOf(latest([...changes, ...deliveries.map(({ updatedAt }) => updatedAt)])),
  }
}

export const verificationBody = (dependencies: Pick<TwilioDependencies, 'publicUrl'>, shown: Shown) => {
  const body = sharedOf(shown)
  return {
    ...body,
    lookup: {},
    send_code_attempts: shown.deliveries.map(({ createdAt, channel, deliveryId }) => ({
      time: dateOf(createdAt),
      channel: channelWords[channel],
      attempt_sid: sidOf('delivery', deliveryId),
    })),
    sna: null,
    url: urlOf(dependencies, `/Services/${body.service_sid}/Verifications/${body.sid}`),
  }
}

export const checkBody = (shown: Shown) => ({ ...sharedOf(shown), sna_attempts_error_codes: [] })
