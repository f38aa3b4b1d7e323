import type { Behaviours } from './behaviour.ts'
import { clearBehaviour, listBehaviour, putBehaviour } from './control/behaviour.ts'
import { clearMessages, listMessages, showRaw } from './control/list-messages.ts'
import { serveMail, servePage } from './control/page.ts'
import { sendWhatsAppMessage, subscribeWhatsApp } from './control/send-whatsapp-message.ts'
import type { MessageStream } from './control/stream.ts'
import { json } from './http/answer.ts'
import type { Handler, Route } from './http/router.ts'
import type { Inbox } from './inbox.ts'
import type { Service } from './service.ts'
import { showRecipient } from './show-recipient.ts'
import type { WhatsAppPeople } from './wires/whatsapp/people.ts'
import type { WhatsAppWebhook } from './wires/whatsapp/webhook.ts'

interface Parts {
  readonly inbox: Inbox
  readonly behaviours: Behaviours
  readonly people: WhatsAppPeople
  readonly webhook: WhatsAppWebhook
  readonly stream: MessageStream
  readonly service: Service
  readonly whatsAppSend: Handler
  readonly telegramGateway: Handler
  readonly gatewaySend: Handler
  readonly whatsAppNumber: string
}

export function buildRoutes(parts: Parts): Route[] {
  const page = servePage()
  return [
    { method: 'GET', path: /^\/$/, handle: page },
    { method: 'GET', path: /^\/page\/([a-z0-9.-]+)$/, handle: page },
    { method: 'GET', path: /^\/healthz$/, handle: () => json(200, { status: 'ok' }) },
    { method: 'GET', path: /^\/info$/, handle: () => json(200, { whatsapp_number: parts.whatsAppNumber }) },
    { method: 'GET', path: /^\/service$/, handle: () => json(200, { service: parts.service.describe() }) },
    { method: 'GET', path: /^\/show$/, handle: showSpelling },
    { method: 'PUT', path: /^\/service$/, handle: parts.service.introduce },
    { method: 'POST', path: /^\/service\/send$/, handle: parts.service.pass('/api/v1/otp/send') },
    { method: 'POST', path: /^\/service\/verify$/, handle: parts.service.pass('/api/v1/otp/verify') },
    { method: 'GET', path: /^\/messages$/, handle: listMessages(parts.inbox) },
    { method: 'DELETE', path: /^\/inbox$/, handle: clearMessages(parts.inbox, parts.people) },
    { method: 'GET', path: /^\/messages\/(msg_[0-9a-f-]+)\/raw$/, handle: showRaw(parts.inbox) },
    { method: 'GET', path: /^\/messages\/stream$/, handle: parts.stream.handle },
    { method: 'GET', path: /^\/messages\/(msg_[0-9a-f-]+)\/html$/, handle: serveMail(parts.inbox) },
    { method: 'GET', path: /^\/behaviour$/, handle: listBehaviour(parts.behaviours) },
    { method: 'PUT', path: /^\/behaviour$/, handle: putBehaviour(parts.behaviours) },
    { method: 'DELETE', path: /^\/behaviour$/, handle: clearBehaviour(parts.behaviours) },
    {
      method: 'POST',
      path: /^\/whatsapp\/messages$/,
      handle: sendWhatsAppMessage(parts.people, parts.webhook),
    },
    { method: 'POST', path: /^\/whatsapp\/subscription$/, handle: subscribeWhatsApp(parts.webhook) },
    { method: 'POST', path: /^\/whatsapp\/v\d+\.\d+\/([^/]+)\/messages$/, handle: parts.whatsAppSend },
    { method: 'GET', path: /^\/telegram\/([A-Za-z]+)$/, handle: parts.telegramGateway },
    { method: 'POST', path: /^\/telegram\/([A-Za-z]+)$/, handle: parts.telegramGateway },
    { method: 'GET', path: /^\/gateway\/messages$/, handle: parts.gatewaySend },
    { method: 'POST', path: /^\/gateway\/messages$/, handle: parts.gatewaySend },
  ]
}

/** A number as people write it, for a phone that nothing has reached yet. */
const showSpelling: Handler = ({ url }) =>
  json(200, { shown_to: showRecipient((url.searchParams.get('to') ?? '').trim().slice(0, 400)) })
