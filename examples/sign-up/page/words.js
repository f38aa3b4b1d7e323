/** What the page says, chosen by the type of an error. */
export const byChannel = {
  sms: 'by SMS',
  whatsapp: 'on WhatsApp',
  telegram: 'on Telegram',
  email: 'by email',
}

export const resendTexts = { resend: 'Send again', sms: 'Get a code by SMS' }

export const over = {
  expired: ['That code has expired', 'Codes are good for a few minutes. Ask for a new one.'],
  failed: ['That did not work', 'There were too many wrong codes. Ask for a new one.'],
}

const words = {
  InvalidRecipientError: 'This does not look like a number or address that can get a message.',
  ValidationError: 'Please check what you entered.',
  NoEnabledChannelError: 'We cannot reach this one. Please try another.',
  GeoBlockedError: 'We do not send to this country yet.',
  IpReputationBlockedError: 'We cannot send from your network. Please try another one.',
  RuleBlockedError: 'We cannot send to this one. Please try another.',
  ResendNotAllowedError: 'We cannot send another one. Please start again.',
  ConnectionError: 'We cannot be reached. Please check your connection and try again.',
  TimeoutError: 'That took too long. Please check your connection and try again.',
  NotProven: 'We have not seen your message yet. Please try again in a moment.',
  NoSession: 'Your session is over. Please start again.',
}

export function problemOf({ type, retryAfter }) {
  if (type === 'ResendCooldownError') return ''
  if (type === 'RateLimitExceededError')
    return `That was a little too often. Please wait ${spell(retryAfter)}.`
  return words[type] ?? 'Something went wrong on our side. Please try again in a moment.'
}

export const wrongCode = (left) =>
  left === 1 ? 'That is not the code. You have one more try.' : 'That is not the code. Please check it again.'

const spell = (seconds) => (seconds >= 90 ? `${Math.ceil(seconds / 60)} minutes` : `${seconds ?? 60} seconds`)
