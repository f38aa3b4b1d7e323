/** What a valid answer must have. Values and fields that are newer than this package are let through. */
import { isRecord } from './record.ts'
import type {
  Decisions,
  Delivery,
  Preview,
  ProvenRecipient,
  Verification,
  VerificationDetails,
  VerifyResult,
} from './types.ts'

type Check = (value: unknown) => boolean
type Alternative<Union, Name extends PropertyKey> = Union extends { [Key in Name]: unknown } ? Union : never
/** A check for each field that is always there. */
type Fields<Answer> = {
  readonly [Name in keyof Answer as undefined extends Answer[Name] ? never : Name]: Check
}

const text: Check = (value) => typeof value === 'string'
const textOrNull: Check = (value) => value === null || text(value)
const count: Check = (value) => Number.isInteger(value)
const flag: Check = (value) => typeof value === 'boolean'
const list: Check = (value) => Array.isArray(value)
const recordOrNull: Check = (value) => value === null || isRecord(value)
const listOf =
  (check: Check): Check =>
  (value) =>
    Array.isArray(value) && value.every(check)

const has =
  <Answer>(fields: Fields<Answer>): Check =>
  (answer) =>
    isRecord(answer) && Object.entries<Check>(fields).every(([name, check]) => check(answer[name]))

const verification: Fields<Verification> = {
  otpId: text,
  status: text,
  channel: text,
  maskedRecipient: text,
  actionUrl: textOrNull,
  completion: text,
}

const isDelivery = has<Delivery>({
  deliveryId: text,
  channel: text,
  status: text,
  createdAt: text,
  updatedAt: text,
  attempts: count,
  error: recordOrNull,
})

export const isVerification = has<Verification>(verification)

export const isVerificationDetails = has<VerificationDetails>({
  ...verification,
  recipientType: text,
  createdAt: text,
  expiresAt: text,
  verifiedAt: textOrNull,
  attemptsRemaining: count,
  sendsRemaining: count,
  resendAvailableAt: textOrNull,
  deliveries: listOf(isDelivery),
})

export const isVerifyResult = has<VerifyResult>({
  otpId: text,
  status: text,
  matched: flag,
  channel: text,
  attemptsRemaining: count,
  verifiedAt: textOrNull,
  verificationToken: textOrNull,
})

export const isProvenRecipient = has<ProvenRecipient>({
  otpId: text,
  recipient: text,
  recipientType: text,
  channel: text,
  verifiedAt: text,
})

export const isDecisions = has<Decisions>({
  decisions: listOf(has<Decisions['decisions'][number]>({ kind: text, at: text, rules: listOf(isRecord) })),
})

const wouldGoOut = has<Alternative<Preview, 'channel'>>({
  channel: text,
  order: list,
  price: text,
  decision: listOf(isRecord),
})
const wouldBeRefused = has<Alternative<Preview, 'error'>>({ error: isRecord, decision: listOf(isRecord) })

export const isPreview: Check = (answer) => wouldGoOut(answer) || wouldBeRefused(answer)
