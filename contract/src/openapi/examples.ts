/** Examples of bodies and answers; a test checks them against the schemas. */
import type { ErrorName } from '../errors/errors.ts'
import type { OperationName } from '../operations.ts'

interface Example {
  readonly body?: unknown
  readonly answer?: unknown
}

const otpId = 'otp_01m7g448dt1pefhc1g61zsgt4d'
const at = '2026-11-15T17:29:52.826Z'
const sent = {
  otp_id: otpId,
  status: 'pending',
  channel: 'sms',
  masked_recipient: '+44****56',
  action_url: null,
  completion: 'code',
}
const company = {
  company_id: 'cmp_01m7ehq4vwaa12qh6s8ghh3y3k',
  name: 'Example Ltd',
  balance: '25.000000',
  metered: true,
  created_at: at,
  closed_at: null,
}
const token = 'otp_vt_2jfbnc1c5af9a80ewj5g984t9kqspvzd3yfzjt4c062p6raqbj0g'
const endpoint = 'https://shop.example.com/webhooks/countersign'

export const operationExamples: Partial<Record<OperationName, Example>> = {
  send: { body: { recipient: '+447400123456', locale: 'en', client_ip: '81.2.69.142' }, answer: sent },
  resend: { body: { otp_id: otpId, channel: 'whatsapp' }, answer: { ...sent, channel: 'whatsapp' } },
  verify: {
    body: { otp_id: otpId, code: '493817' },
    answer: {
      otp_id: otpId,
      status: 'approved',
      matched: true,
      channel: 'sms',
      attempts_remaining: 5,
      verified_at: '2026-11-15T17:30:29.019Z',
      verification_token: token,
    },
  },
  status: {
    answer: {
      ...sent,
      status: 'pending',
      resend_available_at: '2026-11-15T17:30:22.826Z',
      expires_at: '2026-11-15T17:39:52.826Z',
      recipient_type: 'phone',
      created_at: at,
      verified_at: null,
      attempts_remaining: 5,
      sends_remaining: 4,
      deliveries: [
        {
          delivery_id: 'dlv_01m7g448dt9adsmcarjtdq4a6q',
          channel: 'sms',
          status: 'delivered',
          created_at: at,
          updated_at: '2026-11-15T17:29:53.201Z',
          attempts: 1,
          error: null,
        },
      ],
    },
  },
  decision: {
    answer: {
      decisions: [
        {
          kind: 'send',
          at,
          rules: [
            {
              rule: 'recipient',
              outcome: 'pass',
              why: 'A phone number (GB).',
              facts: { because: 'phone', country: 'GB' },
            },
            {
              rule: 'geo',
              outcome: 'pass',
              why: 'GB is not blocked.',
              facts: { because: 'allowed', country: 'GB' },
            },
          ],
        },
      ],
    },
  },
  preview: {
    body: { recipient: '+447400123456', client_ip: '81.2.69.142' },
    answer: {
      channel: 'sms',
      order: ['sms', 'whatsapp'],
      price: '0.050000',
      decision: [
        {
          rule: 'recipient',
          outcome: 'pass',
          why: 'A phone number (GB).',
          facts: { because: 'phone', country: 'GB' },
        },
      ],
    },
  },
  exchange: {
    body: { verification_token: token },
    answer: {
      otp_id: otpId,
      recipient: '+447400123456',
      recipient_type: 'phone',
      channel: 'sms',
      verified_at: '2026-11-15T17:30:29.019Z',
    },
  },
  createCompany: { body: { name: 'Example Ltd', balance: '25.00' }, answer: company },
  getCompany: { answer: company },
  updateCompany: { body: { name: 'Example Limited' } },
  creditCompany: { body: { amount: '10.00', note: 'invoice 17' }, answer: { balance: '35.000000' } },
  eraseRecipient: {
    body: { recipient: '07400 123456', country: 'GB' },
    answer: { verifications: 2 },
  },
  putPrices: {
    body: {
      currency: 'EUR',
      default: { sms: '0.05', whatsapp: '0.02', telegram: '0.01', email: '0.001' },
      countries: { GB: { sms: '0.04' } },
    },
  },
  createApp: {
    body: {
      name: 'Shop',
      routing: { default: ['whatsapp', 'sms'] },
      channels: { whatsapp: { mode: 'link_inbound' } },
    },
  },
  updateApp: {
    body: { routing: { countries: { BR: ['whatsapp', 'sms'], MX: null } }, resend_cooldown_s: 20 },
  },
  createKey: {
    body: { kind: 'server', name: 'backend' },
    answer: {
      key_id: 'key_01m7ehq56pzgr4ccs5h56pp02a',
      kind: 'server',
      name: 'backend',
      key: 'otp_sk_01m7ehnp4e…',
    },
  },
  revokeKey: { answer: { key_id: 'key_01m7ehq56pzgr4ccs5h56pp02a', revoked_at: at } },
  createProvider: {
    body: {
      channel: 'sms',
      kind: 'smpp',
      name: 'Carrier in London',
      settings: {
        host: 'smpp.carrier.example',
        system_id: 'shop',
        password: 'of the account',
        source_addr: 'Shop',
      },
      countries: ['GB'],
      priority: 10,
    },
  },
  testProvider: { body: { to: '+447400123456' } },
  dryRunProvider: { body: { to: '+447400123456', text: 'Your code is 493817.' } },
  putWebhook: { body: { url: endpoint } },
  createWebhook: { body: { url: endpoint, types: ['otp.approved', 'otp.failed'] } },
  putRules: {
    body: {
      revision: 3,
      rules: [
        {
          name: 'Only our countries at night',
          mode: 'shadow',
          when: { country: ['GB', 'IE'], hour: { gte: 22, lte: 5 } },
          then: { action: 'hold', minutes: 10 },
        },
      ],
    },
  },
  searchCompany: { body: { recipient: '07400 200005', country: 'GB' } },
  exceptRecipient: { body: { recipient: '+447400123456', kind: 'blocked' } },
  lintMessage: {
    body: { channel: 'sms', locale: 'en', template: { text: '{code} is your {app} code.' } },
  },
  updateProvider: { body: { name: 'Carrier in London', countries: ['GB', 'IE'], priority: 20 } },
  updateEndpoint: { body: { types: ['otp.approved'] } },
  replayFailed: { body: { since: at } },
  backtestRules: {
    body: {
      rules: [
        {
          name: 'Only our countries',
          mode: 'on',
          when: { country: ['FR'] },
          then: { action: 'refuse' },
        },
      ],
      from: '2026-11-08T00:00:00Z',
      to: '2026-11-15T00:00:00Z',
    },
  },
  searchVerifications: { body: { recipient: '07400 123456', country: 'GB', limit: 20 } },
  previewSend: { body: { recipient: '+447400123456', client_ip: '81.2.69.142' } },
  resendVerification: { body: { channel: 'sms' } },
  updateMe: { body: { name: 'Kim' } },
  putAlerts: { body: { channels: [{ kind: 'email', to: 'kim@example.com' }] } },
  putOperatorAlerts: { body: { channels: [{ kind: 'email', to: 'kim@example.com' }] } },
  inviteMember: { body: { email: 'kim@example.com', role: 'developer', mail: true } },
}

/** `details` of those errors that have some. */
export const errorDetailsExamples: Partial<Record<ErrorName, Record<string, unknown>>> = {
  MethodNotAllowed: { allow: 'GET' },
  ValidationError: { fields: [{ path: 'recipient', message: 'is required' }] },
  RateLimitExceededError: { scope: 'recipient', retry_after: 598 },
  ResendCooldownError: { scope: 'cooldown', retry_after: 29 },
  OtpNotPendingError: { otp_status: 'expired' },
  InsufficientFundsError: { price: '0.050000' },
  GeoBlockedError: { country: 'FR' },
  RuleBlockedError: { rule: 'Only our countries at night' },
  LimitReachedError: {
    fields: [{ path: '', message: 'is more than the maximum of 50 provider accounts' }],
    limit: 50,
  },
  UnavailableError: { retry_after: 1 },
}

export const errorRequestId = 'req_01m7ehq0yq3j48p2r3xsy426gx'
