import { SMTPServer } from 'smtp-server'
import type { SimulatorOptions } from '../../options.ts'
import { deliverMail, type Post } from './deliver-mail.ts'
import { REPORTING_HOST } from './delivery-status.ts'
import { readMail } from './read-mail.ts'
import { findSmtpRefusal } from './refusal.ts'

const MAX_MAIL_BYTES = 1024 * 1024
const MAX_RECIPIENTS = 100
const IDLE_MS = 10 * 60 * 1_000
const CLOSE_MS = 200

/** A mail server that takes mail for everybody. */
export function createSmtpServer(credentials: SimulatorOptions['smtp'], post: Post): SMTPServer {
  const server = new SMTPServer({
    name: REPORTING_HOST,
    banner: 'simulator',
    // Everything runs on one machine, and a self-signed certificate would only be refused.
    disabledCommands: ['STARTTLS'],
    allowInsecureAuth: true,
    disableReverseLookup: true,
    hideDSN: false,
    size: MAX_MAIL_BYTES,
    rejectOversized: true,
    maxRecipients: MAX_RECIPIENTS,
    socketTimeout: IDLE_MS,
    closeTimeout: CLOSE_MS,
    onAuth(auth, _session, callback) {
      const isKnown = auth.username === credentials.user && auth.password === credentials.password
      if (isKnown) callback(null, { user: credentials.user })
      else callback(new Error('Invalid username or password'))
    },
    onRcptTo(address, _session, callback) {
      // If the mail is taken, its behaviour and delay are applied when its data has arrived, so that both count once.
      const refusal = findSmtpRefusal(post.behaviours.find(address.address, 'email').outcome)
      if (refusal === null) return callback()
      const { outcome, delayMs } = post.behaviours.take(address.address, 'email')
      post.inbox.miss('email', address.address, outcome)
      post.schedule.pause(delayMs).then(() => callback(refusal))
    },
    onData(stream, session, callback) {
      readMail(stream)
        .then((mail) => deliverMail(post, mail, session.envelope))
        .then(
          () => callback(null, `2.0.0 Ok: queued as ${session.id}`),
          (error: unknown) => callback(error instanceof Error ? error : new Error(String(error))),
        )
    },
  })
  // A client that drops its connection is not an error of the server.
  server.on('error', () => {})
  return server
}
