import type { Outcome } from '../../behaviour.ts'

class SmtpRefusal extends Error {
  readonly responseCode: number

  constructor(responseCode: number, message: string) {
    super(message)
    this.responseCode = responseCode
  }
}

/** What the server says to RCPT TO when the mail will not be taken. */
export function findSmtpRefusal(outcome: Outcome): Error | null {
  if (outcome === 'reject') return new SmtpRefusal(550, '5.7.1 Refused by policy')
  if (outcome === 'unreachable') return new SmtpRefusal(550, '5.1.1 No such mailbox here')
  if (outcome === 'error') return new SmtpRefusal(451, '4.3.0 Local error, try again later')
  if (outcome === 'throttle') return new SmtpRefusal(450, '4.7.1 Too many messages, try again later')
  return null
}
