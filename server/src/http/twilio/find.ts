/** Finds the verification that a call of Twilio's clients means. */
import { parseRecipient } from '../../domain/guard/index.ts'
import type { Principal } from '../../domain/tenancy/index.ts'
import {
  type FoundVerification,
  findNewest,
  findVerification,
  listDeliveries,
} from '../../domain/verification/index.ts'
import type { OtpId } from '../../platform/ids.ts'
import { parseSid } from '../../platform/sids.ts'
import type { TwilioCall, TwilioDependencies } from './call.ts'
import { refusal } from './error-body.ts'
import type { Shown } from './present.ts'

type Dependencies = Pick<TwilioDependencies, 'database' | 'clock' | 'keyring'>

/** The service in the path must be the app of the key. */
export function assertService({ principal, params }: TwilioCall): void {
  if (parseSid('app', params.ServiceSid ?? '') !== principal.app.appId) throw refusal(20404)
}

/** `name` is a SID, or a recipient, whose newest verification is meant. */
export async function getNamed(
  dependencies: Dependencies,
  { app }: Principal,
  name: string,
): Promise<FoundVerification> {
  const { database, clock } = dependencies
  const otpId = parseSid('verification', name)
  const recipient = otpId ? null : parseRecipient(name)
  const found = otpId
    ? await findVerification(database.of(app.companyId), app.appId, otpId, clock.nowMs())
    : recipient && (await findNewest(dependencies, app, recipient))
  // Twilio's API description does not have the channel `telegram`.
  if (!found || found.verification.channel === 'telegram') throw refusal(20404)
  return found
}

/** Reads the verification again, as it is now. */
export async function readShown(
  { database, clock }: Dependencies,
  { app }: Principal,
  otpId: OtpId,
  to: string | null,
): Promise<Shown> {
  const tenant = database.of(app.companyId)
  const [found, deliveries] = await Promise.all([
    findVerification(tenant, app.appId, otpId, clock.nowMs()),
    listDeliveries(tenant, app.appId, otpId),
  ])
  if (!found) throw refusal(20404)
  return { app, found, deliveries, to }
}
