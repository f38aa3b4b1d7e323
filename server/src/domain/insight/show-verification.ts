/** One verification with all that is known of it, but for the code and the recipient. */
import { AppError, type VerificationDetail } from '@countersign/contract'
import type { Database } from '../../platform/database.ts'
import { type OtpId, parseId } from '../../platform/ids.ts'
import type { Keyring } from '../../platform/keyring.ts'
import { formatMicros } from '../billing/index.ts'
import { getApp } from '../tenancy/index.ts'
import { findVerification, listDecisions, listDeliveries, wholeStatus } from '../verification/index.ts'
import { findOwner, type Owner, readEvents } from './detail-store.ts'
import { timelineOf } from './timeline.ts'

interface Dependencies {
  readonly database: Database
  readonly keyring: () => Keyring
}

/** Management names a verification by its id alone. */
async function findVerificationOwner(
  { database }: Pick<Dependencies, 'database'>,
  text: string,
): Promise<(Owner & { readonly otpId: OtpId }) | undefined> {
  const otpId = parseId('verification', text)
  const owner = otpId && (await findOwner(database, otpId))
  return owner ? { ...owner, otpId } : undefined
}

export async function showVerification(
  { database, keyring }: Dependencies,
  text: string,
): Promise<VerificationDetail> {
  const owner = await findVerificationOwner({ database }, text)
  const found = owner && (await findVerification(database, owner.appId, owner.otpId))
  if (!found) throw new AppError('NotFoundError', 'There is no such verification.')
  const { appId, otpId } = owner
  const [app, deliveries, decisions] = await Promise.all([
    getApp({ database }, appId),
    listDeliveries(database, appId, otpId),
    listDecisions(database, appId, otpId),
  ])
  const eventIds = [found, ...deliveries].flatMap(({ eventId }) => eventId ?? [])
  const events = await readEvents(database, appId, eventIds)
  const { country, locale, clientIp } = found.verification
  return {
    ...wholeStatus({ keyring }, app, found, deliveries),
    app_id: appId,
    country,
    locale,
    client_ip: clientIp,
    cost: formatMicros(deliveries.reduce((sum, { costMicros }) => sum + costMicros, 0n)),
    decisions: decisions.map(({ kind, at, rules }) => ({ kind, at: at.toISOString(), rules: [...rules] })),
    events: events.map(({ eventId, type, status, createdAt }) => ({
      id: eventId,
      type,
      status,
      created_at: createdAt.toISOString(),
    })),
    timeline: timelineOf({ found, decisions, deliveries, events }),
  }
}
