/**
 * A send or resend that was refused, and the rule that refused it.
 *
 * Refusals are noted in memory where they are decided, and written a moment later, many at once: nobody waits for
 * that. Up to a rate each gets a row of its own; beyond it equal ones share a row that says how many they were.
 */
import { type AppError, type ChannelName, type Decided, errorCatalogue } from '@countersign/contract'
import type { AppId, CompanyId, KeyId, OtpId } from '../../../platform/ids.ts'
import type { ClientIp, Recipient } from '../../guard/index.ts'
import type { Principal } from '../../tenancy/index.ts'
import type { Call } from '../issuing/batch.ts'
import type { Verification } from '../verification.ts'

export interface Refusal {
  readonly companyId: CompanyId
  readonly appId: AppId
  readonly kind: 'send' | 'resend'
  /** Of a resend. */
  readonly otpId: OtpId | null
  readonly errorType: string
  /** What the rule that refused has found. */
  readonly decided: Decided
  readonly maskedRecipient: string
  /** Null for what is no recipient. */
  readonly recipientHash: Buffer | null
  readonly country: string | null
  /** On which it would have gone; null where none could be told. */
  readonly channel: ChannelName | null
  /** Null where refusals of several keys share a row. */
  readonly keyId: KeyId | null
  readonly clientIp: string | null
  /** What it would have cost by the price book; null without a channel. */
  readonly priceMicros: bigint | null
  readonly atMs: number
}

export type NoteRefusal = (refusal: Refusal) => void

const nobody = '****'
const typeOf = ({ errorName }: AppError) => errorCatalogue[errorName].type

type Person = Pick<Refusal, 'otpId' | 'maskedRecipient' | 'recipientHash' | 'country' | 'clientIp'>

/** `current` is the verification of a resend. */
function personOf(call: Call, current: Verification | null): Person {
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
  ...personOf(call, current),
  ...(route ?? nowhere),
  atMs,
})

interface Unreadable {
  readonly principal: Principal
  readonly decided: Decided
  readonly error: AppError
  /** Whom the text may mean all the same: of what nobody can read, nothing is kept. */
  readonly meant: { readonly recipient: Recipient; readonly recipientHash: Buffer } | null
  readonly clientIp: ClientIp | null
  readonly atMs: number
}

/** A send to what is no recipient. */
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
