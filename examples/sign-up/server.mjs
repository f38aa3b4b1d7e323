/** A backend that lets people sign up with a number or an address that they have proven to hold. */
import { createHash, randomUUID } from 'node:crypto'
import { createServer } from 'node:http'
import { Countersign, webhooks } from '@countersign/node'
import { cookieOf, rawBodyOf, send, sendError, sendPage } from './http.mjs'
import { settings } from './settings.mjs'

const countersign = new Countersign(settings.serverKey, { baseUrl: settings.baseUrl })
/** In memory, to keep the example short: sessions of browsers, accounts, and what webhooks have reported. */
const sessions = new Map()
const accounts = new Set()
const approved = new Set()
const seenEvents = new Set()

const routes = {
  /** The backend starts the verification, so that it knows whose it is, whatever the browser says later. */
  'POST /start': async (request, response) => {
    const { recipient, formId, locale } = JSON.parse(await rawBodyOf(request))
    // Two clicks on a form are one send. The key contains the recipient, since it alone decides what is replayed.
    const idempotencyKey = createHash('sha256').update(`${formId} ${recipient}`).digest('hex')
    const clientIp = request.socket.remoteAddress
    const { otpId } = await countersign.otp.send({ recipient, locale, clientIp }, { idempotencyKey })
    const session = randomUUID()
    sessions.set(session, { otpId, recipient })
    send(response, 200, { otpId }, { 'set-cookie': `session=${session}; HttpOnly; SameSite=Strict; Path=/` })
  },

  'POST /sign-up': async (request, response) => {
    const { verificationToken } = JSON.parse(await rawBodyOf(request))
    const session = sessions.get(cookieOf(request, 'session'))
    if (!session) return send(response, 401, { type: 'NoSession' })
    const recipient = verificationToken ? await provenBy(verificationToken) : await approvedIn(session)
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
}

/** Only the service can say which recipient a device's token proves. */
const provenBy = async (token) => (await countersign.verifications.exchange(token)).recipient
/** Without a code there is no token. The webhook has usually come by now; if it is late, the service is asked. */
const approvedIn = async ({ otpId, recipient }) =>
  (approved.has(otpId) || (await countersign.otp.get(otpId)).status === 'approved') && recipient

createServer((request, response) => {
  const route = routes[`${request.method} ${request.url}`] ?? sendPage
  route(request, response).catch((error) => sendError(response, error))
}).listen(settings.port, '127.0.0.1', () => console.log(settings.greeting))
