/**
 * A recipient in its two forms: the address that messages go to, and the canonical one under which limits,
 * memory, inbound messages and erasure know the person.
 */
import { domainToASCII } from 'node:url'
import type { RecipientType } from '@countersign/contract'
import { disposableEmailBlocklistSet } from 'disposable-email-domains-js'
import { parsePhoneNumberFromString } from 'libphonenumber-js/max'
import { parse as parseDomain } from 'tldts'

export interface Recipient {
  readonly type: RecipientType
  /** E.164, or an email address as it was written, with its domain in ASCII. */
  readonly address: string
  readonly canonical: string
  readonly masked: string
  /** The number's own region, never that of its calling code; an email has none. */
  readonly country: string | null
  readonly isFixedLine: boolean
  /** An email address of a service that gives them away for an hour. */
  readonly isDisposable: boolean
}

/** As the contract has it: a domain gets shorter or longer when it is brought to ASCII. */
const maxText = 320
const phoneShape = /^\+[1-9]\d{6,14}$/
/** Types that cannot belong to one person, or that earn money for whoever owns them. */
const refusedTypes = new Set([
  'PREMIUM_RATE',
  'SHARED_COST',
  'TOLL_FREE',
  'PAGER',
  'VOICEMAIL',
  'UAN',
  'PERSONAL_NUMBER',
])

/** Null for what is neither a phone number nor an email address that one person can own. */
export function parseRecipient(text: string): Recipient | null {
  if (text.length > maxText) return null
  return text.includes('@') ? parseEmail(text) : parsePhone(text)
}

function parsePhone(text: string): Recipient | null {
  if (!phoneShape.test(text)) return null
  const number = parsePhoneNumberFromString(text)
  if (!number?.isValid() || !number.country || number.number !== text || number.ext) return null
  const type = number.getType()
  if (type && refusedTypes.has(type)) return null
  return {
    type: 'phone',
    address: text,
    canonical: canonicalPhone(text),
    masked: `+${number.countryCallingCode}****${text.slice(-2)}`,
    country: number.country,
    isFixedLine: type === 'FIXED_LINE',
    isDisposable: false,
  }
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

const localShape = /^[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+(?:\.[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+)*$/
/** Before it is brought to ASCII, which would drop or decode what stands in no host name. */
const domainShape = /^[\p{L}\p{N}\p{M}-]+(?:\.[\p{L}\p{N}\p{M}-]+)+$/u
const maxLocal = 64
const maxDomain = 253
const maxAddress = 254

const disposableDomains: ReadonlySet<string> = disposableEmailBlocklistSet()

function parseEmail(text: string): Recipient | null {
  const at = text.lastIndexOf('@')
  const local = text.slice(0, at)
  if (at < 1 || local.length > maxLocal || !localShape.test(local)) return null
  const written = text.slice(at + 1)
  const domain = domainShape.test(written) ? domainToASCII(written.toLowerCase()) : ''
  if (!domain || domain.length > maxDomain || local.length + 1 + domain.length > maxAddress) return null
  const { isIcann, isIp, domain: registered } = parseDomain(domain)
  if (!isIcann || isIp || !registered || !/^[a-z0-9.-]+$/.test(domain)) return null
  return {
    type: 'email',
    address: `${local}@${domain}`,
    canonical: canonicalEmail(local, domain),
    masked: `${local.length > 1 ? local[0] : ''}****@${domain}`,
    country: null,
    isFixedLine: false,
    // Names below a listed one too: such services answer for all of them.
    isDisposable: disposableDomains.has(domain) || disposableDomains.has(registered),
  }
}

function canonicalEmail(local: string, domain: string): string {
  const base = local.toLowerCase().split('+')[0] || local.toLowerCase()
  const isGoogle = domain === 'gmail.com' || domain === 'googlemail.com'
  return isGoogle ? `${base.replaceAll('.', '')}@gmail.com` : `${base}@${domain}`
}
