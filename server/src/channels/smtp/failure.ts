import { z } from 'zod'
import type { SendOutcome } from '../channel.ts'
import { connectionError, providerError } from '../provider-error.ts'
import { findStatusCode, isNoSuchMailbox } from './status-code.ts'

/** The properties that nodemailer sets on its errors. */
const mailError = z.object({
  code: z.string().catch('smtp_error'),
  /** Node's own code, where `code` is nodemailer's name for any connection error. */
  originalCode: z.string().nullable().catch(null),
  command: z.string().catch(''),
  response: z.string().catch(''),
  responseCode: z.number().nullable().catch(null),
})
type MailError = z.infer<typeof mailError>

const AUTHENTICATION_REPLIES = new Set([530, 534, 535, 538])

export function failureOutcome(thrown: unknown, hasLeft: boolean): SendOutcome {
  const details = mailError.parse(thrown instanceof Error ? { ...thrown } : {})
  return details.responseCode === null
    ? unanswered(details, hasLeft)
    : answered(details, details.responseCode)
}

// A reply means that the server did not accept the mail, even after all of it was written.
function answered(details: MailError, reply: number): SendOutcome {
  const statusCode = findStatusCode(details.response)
  const error = providerError(statusCode ?? reply, details.response)
  if (reply < 500) return { kind: 'retry', error, afterSeconds: null }
  if (details.code === 'EAUTH' || details.code === 'ETLS' || AUTHENTICATION_REPLIES.has(reply)) {
    return { kind: 'broken', error }
  }
  return isUnknownRecipient(details, statusCode) ? { kind: 'unreachable', error } : { kind: 'refused', error }
}

function unanswered(details: MailError, hasLeft: boolean): SendOutcome {
  if (hasLeft) {
    const error = providerError(details.code, 'The mail server did not answer for a mail that was written.')
    return { kind: 'uncertain', error }
  }
  switch (details.code) {
    case 'EAUTH':
    case 'ENOAUTH':
      return {
        kind: 'broken',
        error: providerError(details.code, 'The mail server does not accept this kind of sign-in.'),
      }
    case 'EENVELOPE':
    case 'EMESSAGE':
      return { kind: 'refused', error: providerError(details.code, 'The mail server cannot take this mail.') }
    default: {
      const error = connectionError(
        details.originalCode ?? details.code,
        'The mail server could not be reached',
      )
      return { kind: 'retry', error, afterSeconds: null }
    }
  }
}

/** Words alone count only in answer to the recipient's address. */
function isUnknownRecipient({ command, response }: MailError, statusCode: string | null): boolean {
  return isNoSuchMailbox(statusCode, command === 'RCPT TO' ? response : '')
}
