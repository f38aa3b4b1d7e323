import { isAscii } from 'node:buffer'
import type { SendMailOptions } from 'nodemailer'
import type { OutgoingMessage } from '../channel.ts'
import { returnPath } from './return-path.ts'
import type { SmtpSettings } from './settings.ts'

// nodemailer parses lists and groups in an address; an address that may contain them is not a person's mailbox.
const PLAIN_ADDRESS = /^[^\s<>@,;:"\\()[\]]+@[^\s<>@,;:"\\()[\]]+$/

export function isPlainAddress(address: string): boolean {
  return PLAIN_ADDRESS.test(address)
}

export function composeMail(settings: SmtpSettings, message: OutgoingMessage): SendMailOptions {
  const sender = senderAddress(settings.from)
  const bounces = bouncesOf(settings, message)
  return {
    from: settings.from,
    to: { name: '', address: message.recipient },
    subject: message.subject,
    text: message.text,
    ...(message.html === '' ? {} : { html: message.html }),
    messageId: messageId(settings, message.deliveryId),
    envelope: { from: bounces?.envelopeFrom ?? sender, to: [message.recipient] },
    headers: { 'Auto-Submitted': 'auto-generated', 'X-Auto-Response-Suppress': 'All' },
    ...(bounces === null ? {} : { dsn: bounces.dsn }),
    disableFileAccess: true,
    disableUrlAccess: true,
  }
}

export function messageId(settings: SmtpSettings, deliveryId: string): string {
  const sender = senderAddress(settings.from)
  return `<${deliveryId}@${settings.return_path_domain ?? sender.slice(sender.lastIndexOf('@') + 1)}>`
}

// Only with our own return path, since notices of success would fill the sender's mailbox.
function bouncesOf(settings: SmtpSettings, { deliveryId, recipient }: OutgoingMessage) {
  const { return_path_domain: domain, return_path_secret: secret } = settings
  if (domain === undefined || secret === undefined) return null
  return {
    envelopeFrom: returnPath(deliveryId, { domain, secret }),
    dsn: {
      id: deliveryId,
      return: 'headers' as const,
      notify: ['success' as const, 'failure' as const, 'delay' as const],
      // The original address, which servers on the way may change; beyond ASCII it would need another format.
      ...(isAscii(Buffer.from(recipient)) ? { recipient } : {}),
    },
  }
}

function senderAddress(from: string): string {
  return /<([^<>]+)>$/.exec(from)?.[1] ?? from
}
