import { randomBytes } from 'node:crypto'

export function newWhatsAppMessageId(): string {
  return `wamid.${randomBytes(24).toString('base64')}`
}
