/** Reading one verification. Nothing here changes anything. */
import type { DeviceStatusAnswer, StatusAnswer } from '@countersign/contract'
import type { Database } from '../../platform/database.ts'
import { parseId } from '../../platform/ids.ts'
import type { Keyring } from '../../platform/keyring.ts'
import type { App, Principal } from '../tenancy/index.ts'
import { actionUrlOf } from './link.ts'
import {
  type DecisionView,
  type DeliveryView,
  type FoundVerification,
  findVerification,
  listDecisions,
  listDeliveries,
} from './store.ts'
import { answerOf } from './verification.ts'
import { otpNotFound } from './verify.ts'

interface Dependencies {
  readonly database: Database
  readonly keyring: () => Keyring
}

/** A device learns nothing about deliveries, attempts or the record beyond its own needs. */
export async function lookUp(
  dependencies: Dependencies,
  { app, kind }: Principal,
  text: string,
): Promise<StatusAnswer | DeviceStatusAnswer> {
  const otpId = parseId('verification', text)
  const found = otpId && (await findVerification(dependencies.database, app.appId, otpId))
  if (!found) throw otpNotFound()
  if (kind === 'publishable') return deviceStatus(dependencies, app, found)
  return wholeStatus(dependencies, app, found, await listDeliveries(dependencies.database, app.appId, otpId))
}

function deviceStatus(
  { keyring }: Pick<Dependencies, 'keyring'>,
  app: App,
  { verification, isExpired }: FoundVerification,
): DeviceStatusAnswer {
  const isPending = verification.status === 'pending' && !isExpired
  return {
    ...answerOf(verification, isPending ? actionUrlOf(app, verification, keyring()) : null),
    ...(isExpired ? { status: 'expired' as const } : {}),
    resend_available_at: isPending && mayBeResent(verification) ? verification.resendAt.toISOString() : null,
    expires_at: verification.expiresAt.toISOString(),
  }
}

/** A cooldown that outlasts the verification ends in nothing. */
const mayBeResent = ({ sends, maxSends, resendAt, expiresAt }: FoundVerification['verification']) =>
  sends < maxSends && resendAt < expiresAt

export function wholeStatus(
  { keyring }: Pick<Dependencies, 'keyring'>,
  app: App,
  found: FoundVerification,
  deliveries: readonly DeliveryView[],
): StatusAnswer {
  const { verification } = found
  return {
    ...deviceStatus({ keyring }, app, found),
    recipient_type: verification.recipientType,
    created_at: verification.createdAt.toISOString(),
    verified_at: verification.verifiedAt?.toISOString() ?? null,
    attempts_remaining: verification.maxAttempts - verification.attempts,
    sends_remaining: verification.maxSends - verification.sends,
    deliveries: deliveries.map((delivery) => ({
      delivery_id: delivery.deliveryId,
      channel: delivery.channel,
      status: delivery.status,
      created_at: delivery.createdAt.toISOString(),
      updated_at: delivery.updatedAt.toISOString(),
      error: delivery.error,
    })),
  }
}

export async function lookUpDecisions(
  { database }: Dependencies,
  { app }: Principal,
  text: string,
): Promise<DecisionView[]> {
  const otpId = parseId('verification', text)
  if (!otpId || !(await findVerification(database, app.appId, otpId))) throw otpNotFound()
  return listDecisions(database, app.appId, otpId)
}
