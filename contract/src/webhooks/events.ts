/** What webhooks carry. Exactly these fields, in this order: the bytes are fixed when the event is made. */
import { z } from 'zod'

export const eventType = z.enum(['otp.approved', 'otp.failed', 'delivery.delivered', 'delivery.failed'])
export type EventType = z.infer<typeof eventType>

export const webhookEvent = z.discriminatedUnion('type', [
  z.object({
    id: z.string(),
    type: z.literal('otp.approved'),
    payload: z.object({ otp_id: z.string(), status: z.literal('approved') }),
  }),
  z.object({
    id: z.string(),
    type: z.literal('otp.failed'),
    payload: z.object({ otp_id: z.string(), status: z.literal('failed') }),
  }),
  z.object({
    id: z.string(),
    type: z.literal('delivery.delivered'),
    payload: z.object({ otp_id: z.string(), delivery_id: z.string(), status: z.literal('delivered') }),
  }),
  z.object({
    id: z.string(),
    type: z.literal('delivery.failed'),
    payload: z.object({ otp_id: z.string(), delivery_id: z.string(), status: z.literal('failed') }),
  }),
])
export type WebhookEvent = z.infer<typeof webhookEvent>
