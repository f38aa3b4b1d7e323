/** What is noted of a call that was refused. */
import { type AppError, type Decided, errorCatalogue } from '@countersign/contract'
import type { ClientIp, Recipient } from '../../guard/index.ts'
import type { Principal } from '../../tenancy/index.ts'
import type { Refusal } from '../refusals/refusal.ts'
import type { Verification } from '../verification.ts'
import type { Call } from './batch.ts'

const nobody = '****'
const typeOf = ({ errorName }: AppError) => errorCatalogue[errorName].type

type RefusedRecipient = Pick<Refusal, 'otpId' | 'maskedRecipient' | 'recipientHash' | 'country' | 'clientIp'>

/** `current` is the verification of a resend. */
function recipientOf(call: Call, current: Verification | null): RefusedRecipient {
  if (call.kind === 'resend') {
    return {
      otpId: call.otpId,
      maskedRecipient: current?.maskedRecipient ?? nobody,
      recipientHash: current?.recipientHash ?? null,
      country: current?.country ?? null,
      clientIp: current?.clientIp ?? null,
    }
  }
  const { recipient, recipientHash, clientIp } = call
  return {
    otpId: null,
    maskedRecipient: recipient.masked,
    recipientHash,
    country: recipient.country,
    clientIp: clientIp?.address ?? null,
  }
}

interface Refused {
  readonly call: Call
  readonly current: Verification | null
  readonly decided: Decided
  readonly error: AppError
  readonly route: Pick<Refusal, 'channel' | 'priceMicros'> | null
  readonly atMs: number
}

const nowhere = { channel: null, priceMicros: null }

export const refusalOf = ({ call, current, decided, error, route, atMs }: Refused): Refusal => ({
  companyId: call.app.companyId,
  appId: call.app.appId,
  kind: call.kind,
  errorType: typeOf(error),
  decided,
  keyId: call.keyId,
  ...recipientOf(call, current),
  ...(route ?? nowhere),
  atMs,
})

interface Unreadable {
  readonly principal: Principal
  readonly decided: Decided
  readonly error: AppError
  /** The recipient that the text probably means; null if it cannot be read, and then nothing of it is kept. */
  readonly meant: { readonly recipient: Recipient; readonly recipientHash: Buffer } | null
  readonly clientIp: ClientIp | null
  readonly atMs: number
}

/** The refusal of a send whose text is no recipient. */
export const unreadableRefusal = (unreadable: Unreadable): Refusal => ({
  companyId: unreadable.principal.app.companyId,
  appId: unreadable.principal.app.appId,
  kind: 'send',
  otpId: null,
  errorType: typeOf(unreadable.error),
  decided: unreadable.decided,
  maskedRecipient: unreadable.meant?.recipient.masked ?? nobody,
  recipientHash: unreadable.meant?.recipientHash ?? null,
  country: unreadable.meant?.recipient.country ?? null,
  ...nowhere,
  keyId: unreadable.principal.keyId,
  clientIp: unreadable.clientIp?.address ?? null,
  atMs: unreadable.atMs,
})
