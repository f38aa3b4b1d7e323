/** The values of a template's names for one message. */
import type { ValueName } from '@countersign/contract'
import type { OutgoingMessage } from '../channel.ts'
import { isGsm7 } from '../smpp/gsm7.ts'
import type { Gateway } from './settings.ts'

export type Values = Readonly<Record<ValueName, string>>

export function valuesOf(gateway: Gateway, message: OutgoingMessage, callbackUrl: string): Values {
  const ttlSeconds = Math.max(gateway.shortest_ttl_s ?? 1, Math.floor(message.ttlSeconds))
  return {
    to: wellFormed(message.recipient),
    to_digits: message.recipient.replace(/\D/g, ''),
    from: wellFormed(gateway.from ?? ''),
    text: wellFormed(message.text),
    code: wellFormed(message.code),
    ttl_s: String(ttlSeconds),
    ttl_ms: String(ttlSeconds * 1_000),
    ttl_min: String(Math.ceil(ttlSeconds / 60)),
    expires_at: new Date(message.nowMs + ttlSeconds * 1_000).toISOString(),
    delivery_id: wellFormed(message.deliveryId),
    callback_url: wellFormed(callbackUrl),
    unicode: wellFormed(isGsm7(message.text) ? gateway.when_plain : gateway.when_unicode),
    user: wellFormed(gateway.user ?? ''),
    account: wellFormed(gateway.account ?? ''),
  }
}

/** Replaces lone surrogates, which are not valid text anywhere. */
const wellFormed = (text: string) => Buffer.from(text, 'utf8').toString('utf8')
