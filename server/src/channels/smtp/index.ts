/** Codes by email over SMTP. Receipts come back as mail, to `bounce-listener.ts`. */
import type { ProviderKind } from '../channel.ts'
import { errorOf, providerError } from '../provider-error.ts'
import { failureOutcome } from './failure.ts'
import { isInternational } from './international.ts'
import { composeMail, isPlainAddress, messageId } from './mail.ts'
import { MailPool } from './mail-pool.ts'
import { verifyReturnPath } from './return-path.ts'
import { type SmtpSettings, smtpSettings } from './settings.ts'

const noInternational = providerError(
  'smtputf8_missing',
  'The mail server does not take addresses with letters beyond ASCII (SMTPUTF8).',
)

export const smtp: ProviderKind<SmtpSettings> = {
  kind: 'smtp',
  settings: smtpSettings,
  hostOf: ({ host }) => ({ host, isHttp: false }),
  open: (settings, context) => {
    const pool = new MailPool(settings, context.lookup)
    return {
      send: async (message, signal) => {
        if (!isPlainAddress(message.recipient)) {
          return { kind: 'refused', error: providerError('invalid_recipient', 'Not a plain mail address.') }
        }
        if (isInternational(message.recipient)) {
          const taken = await pool.takesInternational(signal)
          if (taken === false) return { kind: 'refused', error: noInternational }
          if (taken !== true) return failureOutcome(taken.error, taken.hasLeft)
        }
        const id = messageId(settings, message.deliveryId)
        const result = await pool.send(id, composeMail(settings, message), signal)
        // Bounces do not have the relay's queue id; they name the delivery themselves.
        if (result.kind === 'taken') return { kind: 'accepted', messageId: null }
        return failureOutcome(result.error, result.hasLeft)
      },
      check: async (signal) => {
        const failed = await pool.check(signal)
        return failed && errorOf(failureOutcome(failed.error, false))
      },
      ownsReturnPath: (address) => {
        const { return_path_domain: domain, return_path_secret: secret } = settings
        return domain && secret ? verifyReturnPath(address, { domain, secret }) : null
      },
      close: () => pool.close(),
    }
  },
}
