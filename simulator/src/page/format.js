const ONE_DIGIT = /^[17]/
const TWO_DIGITS = /^(2[07]|3[0-469]|4[013-9]|5[1-8]|6[0-6]|8[1246]|9[0-58])/

const GROUP_DIGITS = 3
const LAST_GROUP_DIGITS = 4

/** Spaces make a number readable; they are never sent anywhere. */
export function showRecipient(recipient) {
  if (!recipient.startsWith('+')) return recipient
  const digits = recipient.slice(1)
  const length = ONE_DIGIT.test(digits) ? 1 : TWO_DIGITS.test(digits) ? 2 : 3
  const groups = [`+${digits.slice(0, length)}`]
  let rest = digits.slice(length)
  while (rest.length > LAST_GROUP_DIGITS) {
    groups.push(rest.slice(0, GROUP_DIGITS))
    rest = rest.slice(GROUP_DIGITS)
  }
  return [...groups, rest].join(' ')
}

const CLOCK = new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit' })
const DAY = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'long' })

export function showTime(at) {
  return CLOCK.format(new Date(at))
}

export function showDay(at) {
  const isToday = new Date(at).toDateString() === new Date().toDateString()
  return isToday ? 'Today' : DAY.format(new Date(at))
}

const PHONE = /^\+?[1-9]\d{5,14}$/
const EMAIL = /^[^\s@]+@[^\s@]+$/

/** A number or an address as the simulator writes it, null when it is neither. */
export function parseRecipient(text) {
  const trimmed = text.trim()
  if (trimmed.includes('@')) return EMAIL.test(trimmed) ? trimmed : null
  const digits = trimmed.replace(/[\s().-]/g, '')
  return PHONE.test(digits) ? `+${digits.replace(/^\+/, '')}` : null
}

/** What a wa.me link says and to whom, null when the text is no such link. */
export function parseWhatsAppLink(text) {
  const trimmed = text.trim()
  if (!URL.canParse(trimmed)) return null
  const url = new URL(trimmed)
  const isShort = url.hostname === 'wa.me' || url.hostname === 'www.wa.me'
  const isLong = url.hostname === 'api.whatsapp.com' && url.pathname === '/send'
  const number = isShort ? url.pathname.slice(1) : isLong ? (url.searchParams.get('phone') ?? '') : ''
  const to = parseRecipient(number)
  const message = url.searchParams.get('text') ?? ''
  return to === null || message === '' ? null : { to, text: message }
}
