/** One verification with all that is known of it, except the code and the recipient. */
import { resultOf, type VerificationDetail } from '@countersign/contract'
import type { Database } from '../../platform/database.ts'
import type { OtpId } from '../../platform/ids.ts'
import type { Keyring } from '../../platform/keyring.ts'
import { noSuch } from '../answers/index.ts'
import { formatMicros } from '../billing/index.ts'
import type { Providers } from '../routing/index.ts'
import { type AppRef, getApp } from '../tenancy/index.ts'
import {
  type Exception,
  findException,
  findVerification,
  listDecisions,
  listDeliveries,
  wholeStatus,
} from '../verification/index.ts'
import { readEvents } from '../webhooks/index.ts'
import { messagesOf } from './messages.ts'
import { readRefusalsOfVerification } from './refusal-store.ts'
import { timelineOf } from './timeline.ts'

interface Dependencies {
  readonly database: Database
  readonly keyring: () => Keyring
  readonly providers: Providers
}

export async function showVerification(
  dependencies: Dependencies,
  { companyId, appId }: AppRef,
  otpId: OtpId,
  { seesText }: { readonly seesText: boolean },
): Promise<Omit<VerificationDetail, 'exception'> & { readonly exception: Exception | null }> {
  const { database } = dependencies
  const tenant = database.of(companyId)
  const found = await findVerification(tenant, appId, otpId)
  if (!found) throw noSuch('verification')
  const [app, deliveries, decisions, refusals] = await Promise.all([
    getApp({ database }, { companyId, appId }),
    listDeliveries(tenant, appId, otpId),
    listDecisions(tenant, appId, otpId),
    readRefusalsOfVerification(tenant, appId, otpId),
  ])
  const eventIds = [found, ...deliveries].flatMap(({ eventId }) => eventId ?? [])
  const events = await readEvents(tenant, appId, eventIds)
  const { country, locale, clientIp, recipientHash } = found.verification
  const status = await wholeStatus(dependencies, app, found, deliveries)
  return {
    ...status,
    deliveries: await messagesOf(dependencies, companyId, status.deliveries, deliveries, seesText),
    exception: recipientHash && (await findException(tenant, recipientHash)),
    app_id: appId,
    country,
    locale,
    client_ip: clientIp,
    cancelled_at: found.cancelledAt?.toISOString() ?? null,
    cost: formatMicros(deliveries.reduce((sum, { costMicros }) => sum + costMicros, 0n)),
    decisions: decisions.map(({ kind, at, rules }) => ({
      kind,
      at: at.toISOString(),
      rules: rules.map(resultOf),
    })),
    events: events.map(({ eventId, type, status, createdAt }) => ({
      id: eventId,
      type,
      status,
      created_at: createdAt.toISOString(),
    })),
    timeline: timelineOf({ found, decisions, deliveries, events, refusals }),
  }
}
