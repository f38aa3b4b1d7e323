/** Numbers as people of their country write them. The simulator sends the spelling with each message. */
const spellings = new Map()

export function learnSpelling(recipient, shown) {
  spellings.set(recipient, shown)
}

export function isSpellingKnown(recipient) {
  return !recipient.startsWith('+') || spellings.has(recipient)
}

export function showRecipient(recipient) {
  return spellings.get(recipient) ?? recipient
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

/** A masked recipient, as the dashboard shows it: only its beginning and end are known. */
export function parseMask(text) {
  const [start, end, ...more] = text.trim().split('****')
  return end === undefined || more.length > 0 || start + end === '' ? null : { start, end }
}

const PHONE = /^\+?[1-9]\d{5,14}$/
const EMAIL = /^[^\s@]+@[^\s@]+$/

/** A number or an email address in the simulator's own spelling; null if the text is neither. */
export function parseRecipient(text) {
  const trimmed = text.trim()
  if (trimmed.includes('@')) return EMAIL.test(trimmed) ? trimmed : null
  const digits = trimmed.replace(/[\s().-]/g, '')
  return PHONE.test(digits) ? `+${digits.replace(/^\+/, '')}` : null
}

/** One key for all spellings of an address, as the simulator has it; the domain may be in ASCII or not. */
export function recipientKey(recipient) {
  const [local, domain] = recipient.toLowerCase().split('@')
  return domain === undefined ? local : `${local}@${parseUrl(`http://${domain}`)?.hostname ?? domain}`
}

/** The text after `#` of an address; as it stands if somebody has typed a `%` there. */
export function parseFragment(hash) {
  const text = hash.slice(1)
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

function parseUrl(text) {
  try {
    return new URL(text)
  } catch {
    return null
  }
}

/** The text and the number of a wa.me link; null if the text is not such a link. */
export function parseWhatsAppLink(text) {
  const url = parseUrl(text.trim())
  if (url === null) return null
  const isShort = url.hostname === 'wa.me' || url.hostname === 'www.wa.me'
  const isLong = url.hostname === 'api.whatsapp.com' && url.pathname === '/send'
  const number = isShort ? url.pathname.slice(1) : isLong ? (url.searchParams.get('phone') ?? '') : ''
  const to = parseRecipient(number)
  const message = url.searchParams.get('text') ?? ''
  return to === null || message === '' ? null : { to, text: message }
}
