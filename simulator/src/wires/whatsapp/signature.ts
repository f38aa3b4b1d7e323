import { createHmac } from 'node:crypto'

/** The value of X-Hub-Signature-256. */
export function signWebhook(appSecret: string, body: string): string {
  return `sha256=${createHmac('sha256', appSecret).update(body).digest('hex')}`
}
