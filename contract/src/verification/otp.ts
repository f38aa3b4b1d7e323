/** Bodies of `/api/v1`. */
import { z } from 'zod'
import {
  amount,
  channelName,
  clientIp,
  completion,
  country,
  deliveryStatus,
  otpStatus,
  recipient,
  recipientType,
  timestamp,
  writtenLocale,
  writtenRecipient,
} from '../vocabulary.ts'
import { recordedDecision, ruleResult } from './decision.ts'

const otpId = z.string().min(1).max(64).meta({ description: 'The verification, `otp_…`.' })

export const sendBody = z.strictObject({
  recipient,
  locale: writtenLocale.nullish(),
  client_ip: clientIp.nullish(),
})

export const verification = z.object({
  otp_id: z.string(),
  status: otpStatus,
  channel: channelName,
  masked_recipient: z.string(),
  action_url: z.string().nullable().meta({
    description: 'A `wa.me` link while the verification is pending in a WhatsApp link mode, else null.',
  }),
  completion,
})
export type VerificationAnswer = z.infer<typeof verification>

export const resendBody = z.strictObject({ otp_id: otpId, channel: channelName.nullish() })

export const verifyBody = z.strictObject({
  otp_id: otpId,
  code: z.string().regex(/^[0-9]{4,8}$/, 'must be a string of 4 to 8 digits'),
})

export const verifyAnswer = z.object({
  otp_id: z.string(),
  status: otpStatus,
  matched: z.boolean().meta({ description: 'A hint for the device. Only the exchange is proof.' }),
  channel: channelName,
  attempts_remaining: z.int(),
  verified_at: timestamp.nullable(),
  verification_token: z.string().nullable().meta({ description: 'Set on a match, for publishable keys.' }),
  proof: z.string().nullable().exactOptional().meta({
    description:
      'A JWT, on a match. Only where the app has turned proofs on; checked by `/.well-known/jwks.json`.',
  }),
})
export type VerifyAnswer = z.infer<typeof verifyAnswer>

export const deliveryAnswer = z.object({
  delivery_id: z.string(),
  channel: channelName,
  status: deliveryStatus,
  created_at: timestamp,
  updated_at: timestamp,
  attempts: z.int().meta({ description: 'How often it was tried to hand the message to a provider.' }),
  error: z.object({ code: z.string(), message: z.string() }).nullable().meta({
    description:
      'Why it failed or waits. On a message that was sent, `uncertain`: it may have arrived twice, or not at all.',
  }),
})

export const deviceStatusAnswer = verification.extend({
  resend_available_at: timestamp.nullable().meta({ description: 'Null when no resend can follow.' }),
  expires_at: timestamp,
})
export type DeviceStatusAnswer = z.infer<typeof deviceStatusAnswer>

export const statusAnswer = deviceStatusAnswer.extend({
  recipient_type: recipientType,
  created_at: timestamp,
  verified_at: timestamp.nullable(),
  attempts_remaining: z.int(),
  sends_remaining: z.int(),
  deliveries: z.array(deliveryAnswer).meta({ description: 'Oldest first.' }),
})
export const anyStatusAnswer = z.union([statusAnswer, deviceStatusAnswer])
export type StatusAnswer = z.infer<typeof statusAnswer>

export const decisionsAnswer = z.object({ decisions: z.array(recordedDecision) })

export const previewBody = z.strictObject({
  recipient,
  client_ip: clientIp.nullish(),
})

/** For pages, on which people may write a number in any way. */
export const writtenPreviewBody = previewBody.extend({
  recipient: writtenRecipient,
  country: country.nullish().meta({ description: 'Where a number without its calling code is dialled.' }),
})

export const previewAnswer = z.union([
  z.object({
    channel: channelName,
    order: z.array(channelName),
    price: amount,
    decision: z.array(ruleResult),
  }),
  z.object({
    error: z.object({ type: z.string(), message: z.string(), details: z.record(z.string(), z.unknown()) }),
    decision: z.array(ruleResult),
  }),
])

const asSent = {
  recipient: z.string().nullable().meta({
    description: 'As a send takes it: the number in E.164, or the address. Null where it cannot be read.',
  }),
  is_simulated: z.boolean().nullable().meta({
    description:
      'Whether the simulator would carry the message, which then reaches nobody. Null for a send that is refused before a channel is chosen.',
  }),
}
const [accepted, refused] = previewAnswer.options
export const writtenPreviewAnswer = z.union([accepted.extend(asSent), refused.extend(asSent)])

export const exchangeBody = z.strictObject({
  verification_token: z
    .string()
    .max(128, 'must be at most 128 characters')
    .startsWith('otp_vt_', 'must start with otp_vt_'),
})

export const exchangeAnswer = z.object({
  otp_id: z.string(),
  recipient: z.string(),
  recipient_type: recipientType,
  channel: channelName,
  verified_at: timestamp,
})
export type ExchangeAnswer = z.infer<typeof exchangeAnswer>

/** At `/.well-known/jwks.json`: the keys that proofs are checked with (RFC 7517). */
export const signingKeysAnswer = z.object({
  keys: z
    .array(
      z.object({
        kid: z.string().meta({ description: 'The `kid` in the header of each proof that it signed.' }),
        kty: z.literal('OKP'),
        crv: z.literal('Ed25519'),
        alg: z.literal('EdDSA'),
        use: z.literal('sig'),
        x: z.string().meta({ description: 'The public key, in base64url.' }),
      }),
    )
    .meta({ description: 'Also the one that signs next, a day ahead, and the last one, for a day.' }),
})
