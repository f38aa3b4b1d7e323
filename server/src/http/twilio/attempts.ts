/** Messages, presented as Twilio's attempts. */
import type { ChannelName } from '@countersign/contract'
import { formatMicros } from '../../domain/billing/index.ts'
import { parseRecipient } from '../../domain/guard/index.ts'
import {
  type Attempt,
  findAttempt,
  readAttempts,
  readAttemptsOf,
  readVerificationsOf,
} from '../../domain/insight/index.ts'
import type { Principal } from '../../domain/tenancy/index.ts'
import { hashRecipient } from '../../domain/verification/index.ts'
import { lowestId, type OtpId, parseId } from '../../platform/ids.ts'
import { parseSid, sidOf } from '../../platform/sids.ts'
import { assertKnown, type Fields, type TwilioCall, type TwilioDependencies, urlOf } from './call.ts'
import { refusal } from './error-body.ts'
import { pageOf, pageSizeOf } from './page.ts'
import { accountSidOf, dateOf, serviceSidOf } from './present.ts'

const known = [
  'DateCreatedAfter',
  'DateCreatedBefore',
  'ChannelData.To',
  'Country',
  'Channel',
  'VerifyServiceSid',
  'VerificationSid',
  'Status',
  'PageSize',
  'Page',
  'PageToken',
]
/** Twilio's API description has no other channels. */
const channels: readonly ChannelName[] = ['sms', 'whatsapp', 'email']
const mostLookedAt = 5_000

export async function listAttempts(dependencies: TwilioDependencies, call: TwilioCall) {
  const { fields } = call
  assertKnown(fields, known)
  const [rows, nextToken] = await readVerifications(dependencies, call)
  const bodies = rows.map(await attemptBody(dependencies, call))
  return pageOf(dependencies, 'attempts', '/Attempts', fields, { rows: bodies, nextToken })
}

/** The rows, and the token of the next page. */
async function readVerifications(
  dependencies: TwilioDependencies,
  { principal, fields }: TwilioCall,
): Promise<[readonly Attempt[], string | null]> {
  const { app } = principal
  const limit = pageSizeOf(fields)
  const tenant = dependencies.database.of(app.companyId)
  const { VerifyServiceSid: service, VerificationSid: sid, 'ChannelData.To': to } = fields
  const wanted = filterOf(fields, dependencies.clock.nowMs())
  if (service !== undefined && parseSid('app', service) !== app.appId) return [[], null]
  const named = await otpIdsOf(dependencies, principal, { sid, to })
  if (named) {
    const all = await readAttemptsOf(tenant, app.appId, named)
    return [all.filter((attempt) => isWanted(attempt, wanted)).slice(0, limit), null]
  }
  const { rows, edge } = await readAttempts(tenant, app.appId, { ...wanted, limit, mostLookedAt })
  return [rows, rows.length === limit ? (rows.at(-1)?.deliveryId ?? null) : edge]
}

const mostOfPerson = 200

/** The verifications that the call names; null if it names none. */
async function otpIdsOf(
  { database, keyring, clock }: TwilioDependencies,
  { app }: Principal,
  { sid, to }: { readonly sid: string | undefined; readonly to: string | undefined },
): Promise<readonly OtpId[] | null> {
  const otpId = sid === undefined ? null : parseSid('verification', sid)
  if (sid !== undefined) return otpId ? [otpId] : []
  if (to === undefined) return null
  const recipient = parseRecipient(to)
  if (!recipient) return []
  const end = lowestId('verification', clock.nowMs() + aDayMs)
  const tenant = database.of(app.companyId)
  const rows = await readVerificationsOf(tenant, hashRecipient(keyring(), recipient), end, mostOfPerson)
  return rows.filter(({ appId }) => appId === app.appId).map((row) => row.otpId)
}

interface Wanted {
  readonly since: string
  readonly before: string
  readonly channels: readonly ChannelName[]
  readonly country: string | null
  readonly isApproved: boolean | null
}

const isWanted = (attempt: Attempt, { since, before, channels, country, isApproved }: Wanted) =>
  attempt.deliveryId >= since &&
  attempt.deliveryId < before &&
  channels.includes(attempt.channel) &&
  (country === null || attempt.country === country) &&
  (isApproved === null || attempt.isApproved === isApproved)

const aDayMs = 86_400_000

function filterOf(fields: Fields, nowMs: number): Wanted {
  const { Channel, Country, Status, PageToken } = fields
  const channel = channels.find((each) => each === Channel)
  if (Channel !== undefined && !channel) throw refusal(60200, 'Channel')
  if (Country !== undefined && !/^[A-Z]{2}$/.test(Country)) throw refusal(60200, 'Country')
  const status = Status?.toLowerCase()
  if (status !== undefined && status !== 'converted' && status !== 'unconverted')
    throw refusal(60200, 'Status')
  const token = PageToken === undefined ? null : parseId('delivery', PageToken)
  if (PageToken !== undefined && token === null) throw refusal(60200, 'PageToken')
  const end = lowestId('delivery', timeOf(fields, 'DateCreatedBefore') ?? nowMs + aDayMs)
  return {
    since: lowestId('delivery', timeOf(fields, 'DateCreatedAfter') ?? 0),
    before: token !== null && token < end ? token : end,
    channels: channel ? [channel] : channels,
    country: Country ?? null,
    isApproved: status === undefined ? null : status === 'converted',
  }
}

function timeOf(fields: Fields, name: string): number | null {
  const text = fields[name]
  if (text === undefined) return null
  const time = /^\d{4}-\d{2}-\d{2}T/.test(text) ? Date.parse(text) : Number.NaN
  if (!(time >= 0)) throw refusal(60200, name)
  return time
}

export async function fetchAttempt(dependencies: TwilioDependencies, call: TwilioCall) {
  assertKnown(call.fields, [])
  const { app } = call.principal
  const deliveryId = parseSid('delivery', call.params.Sid ?? '')
  const found =
    deliveryId && (await findAttempt(dependencies.database.of(app.companyId), app.appId, deliveryId))
  if (!found || !channels.includes(found.channel)) throw refusal(20404)
  const present = await attemptBody(dependencies, call)
  return present(found)
}

const messageStatuses = {
  queued: 'queued',
  sent: 'sent',
  delivered: 'delivered',
  failed: 'undelivered',
} as const

async function attemptBody(dependencies: TwilioDependencies, { principal: { app } }: TwilioCall) {
  const { currency } = await dependencies.prices()
  return (attempt: Attempt) => {
    const sid = sidOf('delivery', attempt.deliveryId)
    const verificationSid = sidOf('verification', attempt.otpId)
    return {
      sid,
      account_sid: accountSidOf(app),
      service_sid: serviceSidOf(app),
      verification_sid: verificationSid,
      date_created: dateOf(attempt.createdAt),
      date_updated: dateOf(attempt.updatedAt),
      conversion_status: attempt.isApproved ? 'converted' : 'unconverted',
      channel: attempt.channel,
      price: { value: formatMicros(attempt.costMicros), currency: currency.toLowerCase() },
      channel_data: {
        verification_sid: verificationSid,
        to: attempt.maskedRecipient,
        status: attempt.isApproved ? 'confirmed' : attempt.isOver ? 'expired' : 'unconfirmed',
        message_status: messageStatuses[attempt.status],
        error_code: attempt.errorCode,
        country: attempt.country,
        code_length: attempt.codeLength,
        locale: attempt.locale,
      },
      url: urlOf(dependencies, `/Attempts/${sid}`),
    }
  }
}
