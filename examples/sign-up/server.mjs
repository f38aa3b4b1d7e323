/** A backend that lets people sign up with a number or an address that they have proven to hold. */
import { randomUUID } from 'node:crypto'
import { createServer } from 'node:http'
import { cookieOf, rawBodyOf, send, sendPage } from './http.mjs'
// In a project of your own: import { Countersign, CountersignError, webhooks } from '@countersign/node'
import { Countersign, CountersignError, WebhookVerificationError, webhooks } from './sdks.mjs'
import { settings } from './settings.mjs'

const countersign = new Countersign(settings.serverKey, { baseUrl: settings.baseUrl })
/** In memory, to keep the example short: a browser's session, those who signed up, events already seen. */
const sessions = new Map()
const accounts = new Set()
const approved = new Set()
const seenEvents = new Set()

const routes = {
  /** The backend starts it, so that it knows whom it asked about, whatever the browser says later. */
  'POST /start': async (request, response) => {
    const { recipient, formId, locale } = JSON.parse(await rawBodyOf(request))
    const clientIp = request.socket.remoteAddress
    const { otpId } = await countersign.otp.send({ recipient, locale, clientIp }, { idempotencyKey: formId })
    const session = randomUUID()
    sessions.set(session, { otpId, recipient })
    send(response, 200, { otpId }, { 'set-cookie': `session=${session}; HttpOnly; SameSite=Strict; Path=/` })
  },

  /** A token is proof of a recipient. Without one, only a WhatsApp message can have approved it. */
  'POST /sign-up': async (request, response) => {
    const { verificationToken } = JSON.parse(await rawBodyOf(request))
    const session = sessions.get(cookieOf(request, 'session'))
    if (!session) return send(response, 401, { type: 'NoSession' })
    const recipient = verificationToken
      ? (await countersign.verifications.exchange(verificationToken)).recipient
      : (await isApproved(session.otpId)) && session.recipient
    if (!recipient) return send(response, 409, { type: 'NotProven' })
    accounts.add(recipient)
    console.log(`signed up: ${accounts.size} so far`)
    send(response, 200, { recipient })
  },

  'POST /webhooks': async (request, response) => {
    const event = await webhooks.verify(await rawBodyOf(request), request.headers, settings.webhookSecret)
    send(response, 204)
    if (seenEvents.has(event.id)) return
    seenEvents.add(event.id)
    if (event.type === 'otp.approved') approved.add(event.payload.otpId)
    console.log(`webhook: ${event.type} ${event.payload.otpId}`)
  },

  'GET /config.json': async (_, response) => send(response, 200, settings.forPage),
}

/** The webhook has usually said so by now; if it is late, the service is asked. */
const isApproved = async (otpId) =>
  approved.has(otpId) || (await countersign.otp.get(otpId)).status === 'approved'

createServer(async (request, response) => {
  try {
    const route = routes[`${request.method} ${request.url}`]
    await (route ? route(request, response) : sendPage(request, response, settings))
  } catch (error) {
    if (error instanceof CountersignError)
      send(response, error.status ?? 503, { type: error.type, retryAfter: error.retryAfter })
    else if (error instanceof WebhookVerificationError || error instanceof SyntaxError)
      send(response, 400, {})
    else {
      console.error(error)
      send(response, 500, {})
    }
  }
}).listen(settings.port, '127.0.0.1', () => console.log(settings.greeting))
