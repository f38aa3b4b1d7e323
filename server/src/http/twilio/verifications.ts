/** Starts, reads and ends a verification in Twilio's terms. */
import { AppError, appName, type ChannelName, parseFields } from '@countersign/contract'
import { parseRecipient } from '../../domain/guard/index.ts'
import type { App, Principal } from '../../domain/tenancy/index.ts'
import { approve, cancelVerification, sendOrResend } from '../../domain/verification/index.ts'
import { parseId } from '../../platform/ids.ts'
import { parseSid } from '../../platform/sids.ts'
import { clientIpOf, localeOf } from '../v1/otp.ts'
import { assertKnown, type Fields, type TwilioCall, type TwilioDependencies } from './call.ts'
import { refusal } from './error-body.ts'
import { assertService, getNamed, readShown } from './find.ts'
import { verificationBody } from './present.ts'

const taken = ['To', 'Channel', 'Locale', 'DeviceIp', 'CustomFriendlyName', 'RiskCheck']
/** Parameters that would change the code, the text or the guard: refused as unsupported instead of ignored. */
const missing = [
  'Amount',
  'AppHash',
  'ChannelConfiguration',
  'CustomCode',
  'CustomMessage',
  'EnableSnaClientToken',
  'Payee',
  'RateLimits',
  'SendDigits',
  'Tags',
  'TemplateCustomSubstitutions',
  'TemplateSid',
]
/** Channels that Twilio has and this service does not. */
const missingChannels = ['call', 'sna', 'rcs']
const channels: readonly ChannelName[] = ['sms', 'whatsapp', 'email']
export const unsupported: readonly string[] = [...missing, ...missingChannels]

export async function createVerification(dependencies: TwilioDependencies, call: TwilioCall) {
  assertService(call)
  const { principal, fields } = call
  const { To: to = '', Locale, DeviceIp } = fields
  assertSupported(fields)
  const among = channelsOf(fields, principal.app)
  const text = await sendOrResend(dependencies, principal, {
    recipient: to,
    locale: localeOf(Locale),
    friendlyName: friendlyNameIn(fields),
    clientIp: clientIpOf(principal, DeviceIp, ''),
    among,
  }).catch(async (error: unknown) => {
    throw await explain(dependencies, principal, error, { to, among })
  })
  const otpId = parseId('verification', text)
  if (!otpId) throw refusal(20404)
  return verificationBody(dependencies, await readShown(dependencies, principal, otpId, to))
}

function assertSupported(fields: Fields): void {
  const unsupported = Object.keys(fields).find((field) => missing.includes(field))
  if (unsupported !== undefined) throw refusal(60204, unsupported)
  assertKnown(fields, taken)
  const { RiskCheck: riskCheck = 'enable' } = fields
  if (riskCheck === 'disable')
    throw refusal(60204, 'RiskCheck; what holds messages back is a setting of the app')
  if (riskCheck !== 'enable') throw refusal(60200, 'RiskCheck')
}

/** The name that messages use for the app; null for its own name. */
function friendlyNameIn({ CustomFriendlyName: given }: Fields): string | null {
  if (given === undefined) return null
  const { data, problems } = parseFields(appName, given)
  if (problems) throw refusal(60200, `CustomFriendlyName ${problems[0]?.message}`)
  return data
}

/** The channels that the call allows. Not WhatsApp in a link mode: a client of Twilio's could not show the link. */
function channelsOf({ To: to = '', Channel: named }: Fields, { settings }: App): readonly ChannelName[] {
  if (!to) throw refusal(60200, 'To')
  if (named !== undefined && missingChannels.includes(named)) throw refusal(60223, named)
  const hasLinks = settings.channels.whatsapp.mode !== 'template'
  const sent = channels.filter((channel) => !(channel === 'whatsapp' && hasLinks))
  if (named === 'auto') return sent
  const channel = channels.find((each) => each === named)
  if (!channel) throw refusal(60200, 'Channel')
  if (!sent.includes(channel)) throw refusal(60223, 'whatsapp; the app has it in a link mode')
  const recipient = parseRecipient(to, settings.number_check)
  if (recipient && (recipient.type === 'email') !== (channel === 'email')) {
    throw refusal(60200, `To cannot be reached by ${channel}`)
  }
  return [channel]
}

interface Wanted {
  readonly to: string
  readonly among: readonly ChannelName[]
}

/** Two of our errors correspond to several of Twilio's. */
async function explain(
  dependencies: TwilioDependencies,
  principal: Principal,
  error: unknown,
  { to, among }: Wanted,
): Promise<unknown> {
  if (!(error instanceof AppError)) return error
  const { errorName } = error
  if (errorName !== 'ResendNotAllowedError' && errorName !== 'NoEnabledChannelError') return error
  if (errorName === 'ResendNotAllowedError') {
    const { verification } = await getNamed(dependencies, principal, to)
    const { sends, maxSends, expiresAt } = verification
    const leftMs = expiresAt.getTime() - dependencies.clock.nowMs()
    if (sends >= maxSends) return refusal(60203, '', leftMs / 1000 + 1)
  }
  const isFixedLine = parseRecipient(to)?.isFixedLine ?? false
  return isFixedLine && among.includes('sms') ? refusal(60205) : error
}

/** A verification that has ended is found only by its SID. */
export async function fetchVerification(dependencies: TwilioDependencies, call: TwilioCall) {
  assertService(call)
  const { principal, params, fields } = call
  assertKnown(fields, [])
  const name = params.Sid ?? ''
  const { verification, isExpired } = await getNamed(dependencies, principal, name)
  const isNamed = parseSid('verification', name) !== null
  if (!isNamed && (verification.status !== 'pending' || isExpired)) throw refusal(20404)
  const shown = await readShown(dependencies, principal, verification.otpId, isNamed ? null : name)
  return verificationBody(dependencies, shown)
}

export async function updateVerification(dependencies: TwilioDependencies, call: TwilioCall) {
  assertService(call)
  const { principal, params, fields } = call
  assertKnown(fields, ['Status'])
  const name = params.Sid ?? ''
  const { otpId } = (await getNamed(dependencies, principal, name)).verification
  if (fields.Status === 'approved') await approve(dependencies, principal, otpId)
  else if (fields.Status === 'canceled') await cancelVerification(dependencies, principal.app, otpId)
  else throw refusal(60200, 'Status')
  const to = parseSid('verification', name) ? null : name
  return verificationBody(dependencies, await readShown(dependencies, principal, otpId, to))
}
