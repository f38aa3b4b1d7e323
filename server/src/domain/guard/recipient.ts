/**
 * A recipient in its three forms: as it was written, which the exchange returns; the address that messages go to; and
 * the canonical form by which limits, memory, inbound messages and erasure find the person.
 */
import { domainToASCII } from 'node:url'
import type { NumberCheck, RecipientType } from '@countersign/contract'
import { disposableEmailBlocklistSet } from 'disposable-email-domains-js'
import { type CountryCode, type PhoneNumber, parsePhoneNumberFromString } from 'libphonenumber-js/max'
import numberingPlans from 'libphonenumber-js/max/metadata'
import { getDomain } from 'tldts'

export interface Recipient {
  readonly type: RecipientType
  /** As the caller wrote it. */
  readonly written: string
  /** Where messages go: E.164, or an email address with its domain in ASCII. */
  readonly address: string
  readonly canonical: string
  readonly masked: string
  /** The number's own region, or the main one of its calling code if the plan has none. Null for an email address. */
  readonly country: string | null
  readonly isFixedLine: boolean
  /** The email address is from a service that gives them away for an hour. */
  readonly isDisposable: boolean
}

/** The bound of the contract. The address may be shorter or longer, since its domain is converted to ASCII. */
const maxText = 320
const phoneShape = /^\+[1-9]\d{6,14}$/
/** A number with fewer digits is accepted only if the numbering plan knows it, as on a few islands. */
const fewestDigits = 8
/** Types of number that cannot belong to one person, or that earn money for their owner. */
const refusedTypes = new Set([
  'PREMIUM_RATE',
  'SHARED_COST',
  'TOLL_FREE',
  'PAGER',
  'VOICEMAIL',
  'UAN',
  'PERSONAL_NUMBER',
])
/** Numbers that carriers give out for tests; the plan counts all of +1 500 as personal. */
const forTrying = /^\+1500555\d{4}$/

/**
 * Null for a text that is neither a phone number nor an email address that one person can own. Only a new send passes
 * its app's check: a recipient that was accepted once must be found again after the app's setting has changed.
 */
export function parseRecipient(text: string, check: NumberCheck = 'e164'): Recipient | null {
  if (text.length > maxText) return null
  return text.includes('@') ? parseEmail(text) : parsePhone(text, check)
}

/** The address that messages to this recipient go to. */
export const addressOf = (written: string): string =>
  (written.includes('@') ? parseEmail(written)?.address : null) ?? written

/**
 * The address that a code proves, if it was sent to this recipient. Unlike the canonical form it keeps tags and dots,
 * since not every mail server gives `a+b` and `a` to one person.
 */
export const provenAddress = ({ type, address, canonical }: Recipient): string =>
  type === 'email' ? address.toLowerCase() : canonical

function parsePhone(text: string, check: NumberCheck): Recipient | null {
  if (!phoneShape.test(text)) return null
  const number = parsePhoneNumberFromString(text)
  const country = number && countryOf(number)
  if (!number || !country) return null
  const planned = number.getType()
  if (!passes(number, planned !== undefined || number.isValid(), text, check)) return null
  const type = check === 'e164' && forTrying.test(text) ? undefined : planned
  if (type && refusedTypes.has(type)) return null
  return {
    type: 'phone',
    written: text,
    address: text,
    canonical: canonicalPhone(text),
    masked: `+${number.countryCallingCode}****${text.slice(-2)}`,
    country,
    isFixedLine: type === 'FIXED_LINE',
    isDisposable: false,
  }
}

/** Undefined for a calling code that is not assigned, or not to a country. */
const countryOf = ({ country, countryCallingCode }: PhoneNumber): CountryCode | undefined =>
  country ?? numberingPlans.country_calling_codes[countryCallingCode]?.[0]

/** A number that has a type is valid, so `isValid` is passed in: finding out either is most of the cost of a number. */
function passes(number: PhoneNumber, isValid: boolean, text: string, check: NumberCheck): boolean {
  // If the plan reads it as another number, it contains a prefix that is only dialled inside the country.
  if (number.number !== text && (isValid || check !== 'e164')) return false
  if (isValid) return true
  if (check === 'possible') return number.isPossible()
  return check === 'e164' && text.length > fewestDigits
}

/**
 * WhatsApp writes some numbers differently from E.164: Brazil's mobile numbers lose a 9, Mexico's gain a 1,
 * Argentina's gain a 9. All of a number's spellings have one canonical form.
 */
export function canonicalPhone(text: string): string {
  const brazil = /^\+55(\d{2})([6-9]\d{7})$/.exec(text)
  if (brazil) return `+55${brazil[1]}9${brazil[2]}`
  const mexico = /^\+521(\d{10})$/.exec(text)
  if (mexico) return `+52${mexico[1]}`
  const argentina = /^\+549(\d{10})$/.exec(text)
  if (argentina) return `+54${argentina[1]}`
  return text
}

/** The characters between dots of a local part: beyond ASCII, all that are neither invisible nor blank (RFC 6531). */
const atom = /^(?:[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]|[^\p{ASCII}\p{C}\p{Z}])+$/u
/** Tested before the domain is converted to ASCII, which would drop or decode characters that no host name has. */
const domainShape = /^[\p{L}\p{N}\p{M}-]+(?:\.[\p{L}\p{N}\p{M}-]+)+$/u
/** A host name: no label starts or ends in a hyphen, and the last is not a number, as it is in an IP address. */
const hostShape = /^(?:(?!-)[a-z0-9-]{1,63}(?<!-)\.)+(?!\d+$)(?!-)[a-z0-9-]{2,63}(?<!-)$/
const maxLocalBytes = 64
const maxDomain = 253
const maxAddressBytes = 254

const disposableDomains: ReadonlySet<string> = disposableEmailBlocklistSet()

function parseEmail(text: string): Recipient | null {
  const at = text.lastIndexOf('@')
  const local = text.slice(0, at)
  const localBytes = Buffer.byteLength(local)
  if (localBytes > maxLocalBytes || !isLocalPart(local)) return null
  const written = text.slice(at + 1)
  const domain = domainShape.test(written) ? domainToASCII(written.toLowerCase()) : ''
  if (domain.length > maxDomain || localBytes + 1 + domain.length > maxAddressBytes) return null
  if (!hostShape.test(domain)) return null
  // Messages go to the local part as it was written, since a mail server may tell two compositions of it apart.
  const composed = local.normalize('NFC')
  return {
    type: 'email',
    written: text,
    address: `${local}@${domain}`,
    canonical: canonicalEmail(composed, domain),
    masked: maskedEmail(composed, domain),
    country: null,
    isFixedLine: false,
    // Subdomains of a listed domain count too: such services receive mail for all of them.
    isDisposable: disposableDomains.has(domain) || disposableDomains.has(getDomain(domain) ?? domain),
  }
}

/** A local part of one character is hidden altogether, since its first character is all of it. */
function maskedEmail(local: string, domain: string): string {
  const [first, second] = local
  return `${second === undefined ? '' : first}****@${domain}`
}

/** Checked in its normalised form too, where a full-width at sign becomes a plain one. */
const isLocalPart = (local: string) =>
  [local, local.normalize('NFKC')].every((form) => form.split('.').every((part) => atom.test(part)))

function canonicalEmail(local: string, domain: string): string {
  const base = local.toLowerCase().split('+')[0] || local.toLowerCase()
  const isGoogle = domain === 'gmail.com' || domain === 'googlemail.com'
  return isGoogle ? `${base.replaceAll('.', '')}@gmail.com` : `${base}@${domain}`
}
