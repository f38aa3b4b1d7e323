/** Reads one verification, and changes nothing. */
import type { DeviceStatusAnswer, StatusAnswer } from '@countersign/contract'
import type { Clock } from '../../platform/clock.ts'
import { type Database, inOrder } from '../../platform/database.ts'
import { parseId } from '../../platform/ids.ts'
import type { Keyring } from '../../platform/keyring.ts'
import { lookAt } from '../billing/index.ts'
import type { Providers } from '../routing/index.ts'
import type { App, Principal } from '../tenancy/index.ts'
import { stateKey } from './issuing/batch.ts'
import { readRemembered } from './issuing/batch-read-store.ts'
import { orderFor } from './issuing/route.ts'
import { subjectOfResend } from './issuing/subject.ts'
import { actionUrlOf } from './link.ts'
import { type FoundVerification, findVerification } from './store.ts'
import { answerOf, otpNotFound, type Verification } from './verification.ts'
import { type DecisionView, type DeliveryView, listDecisions, listDeliveries } from './view-store.ts'

interface Dependencies {
  readonly database: Database
  readonly keyring: () => Keyring
  readonly providers: Providers
}

export interface LookUpDependencies extends Dependencies {
  readonly clock: Clock
}

/** A device is told nothing about deliveries and attempts. */
export async function lookUp(
  dependencies: LookUpDependencies,
  { app, kind }: Principal,
  text: string,
): Promise<StatusAnswer | DeviceStatusAnswer> {
  const otpId = parseId('verification', text)
  const tenant = dependencies.database.of(app.companyId)
  const found = otpId && (await findVerification(tenant, app.appId, otpId, dependencies.clock.nowMs()))
  if (!found) throw otpNotFound()
  if (kind === 'publishable') return deviceStatus(dependencies, app, found)
  return wholeStatus(dependencies, app, found, await listDeliveries(tenant, app.appId, otpId))
}

async function deviceStatus(
  dependencies: Dependencies,
  app: App,
  { verification, isExpired }: FoundVerification,
): Promise<DeviceStatusAnswer> {
  const isPending = verification.status === 'pending' && !isExpired
  const canFollow = isPending && (await canBeResent(dependencies, app, verification))
  return {
    ...answerOf(verification, isPending ? actionUrlOf(app, verification, dependencies.keyring()) : null),
    ...(isExpired ? { status: 'expired' as const } : {}),
    resend_available_at: canFollow ? verification.resendAt.toISOString() : null,
    expires_at: verification.expiresAt.toISOString(),
  }
}

/** Shown if the delivery has no error of its own. */
const handedOverAgain = {
  code: 'uncertain',
  message: 'A process ended while it handed the message over; it was handed over again and may arrive twice.',
}

/**
 * False if it expires before the cooldown ends, no channel is left, or its sends are used up; a link can be shown
 * again.
 */
async function canBeResent(
  { database, keyring, providers }: Dependencies,
  app: App,
  verification: Verification,
): Promise<boolean> {
  const { sends, maxSends, resendAt, expiresAt, linkMode } = verification
  if ((sends >= maxSends && linkMode === null) || resendAt >= expiresAt) return false
  // Only channels decide here: the verdict of the app's own rules may change by the minute.
  const subject = subjectOfResend({ app, keyKind: 'server', channel: null }, verification, keyring())
  const { appId, companyId } = app
  const person = { companyId, appId, recipientHash: subject.recipientHash }
  const [, { unreachable }] = await lookAt(database, companyId, (held, found) =>
    inOrder([found, readRemembered(held, [person])]),
  )
  const missing = unreachable.get(stateKey(appId, subject.recipientHash)) ?? new Set()
  const { reachable } = orderFor(subject, missing, providers)
  return sends < maxSends ? reachable.length > 0 : reachable.includes('whatsapp')
}

export async function wholeStatus(
  dependencies: Dependencies,
  app: App,
  found: FoundVerification,
  deliveries: readonly DeliveryView[],
): Promise<StatusAnswer> {
  const { verification } = found
  return {
    ...(await deviceStatus(dependencies, app, found)),
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
      attempts: delivery.attempts,
      error: delivery.error ?? (delivery.takenOverAt && handedOverAgain),
    })),
  }
}

export async function lookUpDecisions(
  { database }: Pick<Dependencies, 'database'>,
  { app }: Principal,
  text: string,
): Promise<DecisionView[]> {
  const otpId = parseId('verification', text)
  const tenant = database.of(app.companyId)
  if (!otpId || !(await findVerification(tenant, app.appId, otpId))) throw otpNotFound()
  return listDecisions(tenant, app.appId, otpId)
}
