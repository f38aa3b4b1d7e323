/** A row of `verifications`, and the verification that it is. */
import type { ChannelName, RecipientType } from '@countersign/contract'
import type { AppId, CompanyId, OtpId } from '../../platform/ids.ts'
import type { LinkMode } from '../routing/index.ts'
import type { Verification } from './verification.ts'

export interface VerificationRow {
  app_id: AppId
  otp_id: OtpId
  company_id: CompanyId
  status: 'pending' | 'approved' | 'failed'
  recipient_type: RecipientType
  recipient: Buffer | null
  recipient_hash: Buffer | null
  masked_recipient: string
  country: string | null
  locale: string
  called: string | null
  channel: ChannelName
  link_mode: LinkMode | null
  link_number: string | null
  data_key: number
  code_version: number
  code_length: number
  code_mac: Buffer
  attempts: number
  max_attempts: number
  guessed_at: Date[]
  event_id: string | null
  sends: number
  max_sends: number
  client_ip: string | null
  ip_key: string | null
  created_at: Date
  expires_at: Date
  resend_at: Date
  verified_at: Date | null
  approved_by: string | null
  replay_until: Date | null
  cancelled_at: Date | null
  spend_micros: bigint
  spend_at: Date | null
}

export const verificationOf = (row: VerificationRow): Verification => ({
  appId: row.app_id,
  otpId: row.otp_id,
  companyId: row.company_id,
  status: row.status,
  recipientType: row.recipient_type,
  recipient: row.recipient,
  recipientHash: row.recipient_hash,
  maskedRecipient: row.masked_recipient,
  country: row.country,
  locale: row.locale,
  friendlyName: row.called,
  channel: row.channel,
  linkMode: row.link_mode,
  linkNumber: row.link_number,
  dataKey: row.data_key,
  codeVersion: row.code_version,
  codeLength: row.code_length,
  codeMac: row.code_mac,
  attempts: row.attempts,
  maxAttempts: row.max_attempts,
  sends: row.sends,
  maxSends: row.max_sends,
  clientIp: row.client_ip,
  ipKey: row.ip_key,
  createdAt: row.created_at,
  expiresAt: row.expires_at,
  resendAt: row.resend_at,
  verifiedAt: row.verified_at,
  approvedBy: row.approved_by,
  replayUntil: row.replay_until,
  spendMicros: row.spend_micros,
  spendAt: row.spend_at,
})
