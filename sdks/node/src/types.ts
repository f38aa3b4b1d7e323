/** The answers of the service, in camelCase. Times are ISO 8601 in UTC; money is a decimal string. */

export type Channel = 'sms' | 'whatsapp' | 'telegram' | 'email'
export type OtpStatus = 'pending' | 'approved' | 'failed' | 'expired'
export type DeliveryStatus = 'queued' | 'sent' | 'delivered' | 'failed'
/** `code`: the person types a code. `inbound`: their WhatsApp message approves, and there is no code. */
export type Completion = 'code' | 'inbound'
export type RecipientType = 'phone' | 'email'
export type LimitScope =
  | 'recipient'
  | 'ip'
  | 'flagged_ip'
  | 'app'
  | 'app_without_ip'
  | 'pumping'
  | 'spend'
  | 'rule'
  | 'cooldown'

export interface Verification {
  otpId: string
  status: OtpStatus
  channel: Channel
  /** May be logged and shown. */
  maskedRecipient: string
  /** A `wa.me` link for the person to open, in the two WhatsApp link modes; otherwise null. */
  actionUrl: string | null
  completion: Completion
}

export interface VerifyResult {
  otpId: string
  status: OtpStatus
  /** Whether the code was right. A wrong code is a result, not an error. */
  matched: boolean
  channel: Channel
  attemptsRemaining: number
  verifiedAt: string | null
  /** Always null with a server key: only devices get tokens. */
  verificationToken: string | null
  /** On a match, a JWT that any service can check. Only if the app has turned proofs on. */
  proof?: string | null
}

export interface Delivery {
  deliveryId: string
  channel: Channel
  status: DeliveryStatus
  createdAt: string
  updatedAt: string
  /** How many attempts there were to hand the message to a provider. */
  attempts: number
  error: { code: string; message: string } | null
}

export interface VerificationDetails extends Verification {
  recipientType: RecipientType
  createdAt: string
  expiresAt: string
  verifiedAt: string | null
  attemptsRemaining: number
  sendsRemaining: number
  /** Null when no resend can follow. */
  resendAvailableAt: string | null
  /** Oldest first. */
  deliveries: Delivery[]
}

export interface RuleResult {
  rule: string
  outcome: 'pass' | 'refuse' | 'skip' | 'reroute' | 'shadow'
  /** Made from the facts, for people. */
  why: string
  /** What the rule found, with the names of the API, as its reference lists them; null if no facts were recorded. */
  facts: Record<string, unknown> | null
}

export interface Decisions {
  decisions: { kind: 'send' | 'resend'; at: string; rules: RuleResult[] }[]
}

/** What a send would do now: go out, or be refused. `'error' in preview` tells them apart. */
export type Preview =
  | { channel: Channel; order: Channel[]; price: string; decision: RuleResult[] }
  | { error: { type: string; message: string; details: Record<string, unknown> }; decision: RuleResult[] }

/** Proof that a person controls `recipient`. */
export interface ProvenRecipient {
  otpId: string
  /** In full: an E.164 phone number or an email address. */
  recipient: string
  recipientType: RecipientType
  channel: Channel
  verifiedAt: string
}
