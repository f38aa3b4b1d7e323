/** The words of the API that more than one body uses. */
import { z } from 'zod'

export const channelNames = ['sms', 'whatsapp', 'telegram', 'email'] as const
export const channelName = z.enum(channelNames)
export type ChannelName = z.infer<typeof channelName>

export const otpStatus = z.enum(['pending', 'approved', 'failed', 'expired'])
export type OtpStatus = z.infer<typeof otpStatus>

export const deliveryStatus = z.enum(['queued', 'sent', 'delivered', 'failed'])
export type DeliveryStatus = z.infer<typeof deliveryStatus>

export const completion = z.enum(['code', 'inbound'])
export type Completion = z.infer<typeof completion>

export const recipientType = z.enum(['phone', 'email'])
export type RecipientType = z.infer<typeof recipientType>

/** Longer than any address, so that a text which is no address is refused as a recipient and not for its length. */
const maxRecipient = 320
export const recipient = z
  .string()
  .max(maxRecipient)
  .meta({
    description:
      'A phone number in E.164, `+` and 8 to 15 digits, or an email address. Any other text of at most 320 characters is `InvalidRecipientError`.',
    examples: ['+447400123456', 'someone@example.com'],
  })

/** A recipient as people write it, for looking somebody up. */
export const writtenRecipient = z.string().max(maxRecipient).meta({
  description:
    'A phone number or an email address as people write it: with blanks, dashes and brackets, with `00` or without a plus.',
})

/** `blocked`: nothing is sent to the recipient. `allowed`: the guard does not stop what is. */
export const exceptionKind = z.enum(['blocked', 'allowed'])
export type ExceptionKind = z.infer<typeof exceptionKind>

export const keyKind = z.enum(['server', 'publishable'])
export type KeyKind = z.infer<typeof keyKind>

/** What IP lists say of an address, from worst to best. */
export const ipClass = z.enum(['abusive', 'tor', 'proxy', 'vpn', 'hosting', 'relay'])
export type IpClass = z.infer<typeof ipClass>

/** The scopes that `limits` counts in. */
export const countedScope = z.enum(['recipient', 'ip', 'flagged_ip', 'app', 'app_without_ip'])
export type CountedScope = z.infer<typeof countedScope>

const limitScope = z.enum([...countedScope.options, 'pumping', 'spend', 'rule', 'cooldown'])
export type LimitScope = z.infer<typeof limitScope>

/** The caps on what an app may spend. */
export const capName = z.enum(['day_by_country', 'hour_unverified'])

export const blockLevel = z
  .enum(['r100', 'r1k', 'r10k', 'carrier', 'country', 'known_carrier', 'known_country', 'ip'])
  .meta({
    description:
      '`r100`, `r1k`, `r10k`: ranges of that many numbers. `known_carrier`, `known_country`: only for recipients whom the app has verified before.',
  })

export const timestamp = z.iso.datetime().meta({ description: 'ISO 8601, UTC, with `Z`.' })
export const moment = z.iso.datetime({ offset: true })
/** An end of a range that is rounded up to whole hours or days, which must not become a year of five digits. */
export const rangeEnd = moment.refine(
  (text) => !(Date.parse(text) >= Date.UTC(9999, 0)),
  'must be before the year 9999',
)

/** PostgreSQL stores no NUL, and control characters garble lists. Every language can read this pattern. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is refused
const withoutControls = /^[^\x00-\x1f\x7f-\x9f]*$/
const noControls = 'must not contain control characters'
export const plainText = z.string().regex(withoutControls, noControls)
/** White space at either end is trimmed, not refused. */
export const trimmedText = (longest: number) =>
  z.string().trim().min(1).max(longest).regex(withoutControls, noControls)

/** Money in the API: a decimal string of one currency, at most six decimals. */
export const amount = z
  .string()
  .regex(
    /^-?\d{1,12}(\.\d{1,6})?$/,
    'must be an amount such as "12.50", with at most twelve digits before the point and six after it',
  )
  .meta({
    description: 'A decimal number as text, in the currency of the price book.',
    examples: ['12.500000'],
  })
const unsigned = '^[0-9]{1,12}(\\.[0-9]{1,6})?$'
export const positiveAmount = amount
  .refine((text) => /[1-9]/.test(text) && !text.startsWith('-'), 'must be greater than zero')
  .meta({
    description: 'A decimal number above zero as text, in the currency of the price book.',
    pattern: unsigned,
    examples: ['12.50'],
  })
export const nonNegativeAmount = amount
  .refine((text) => !text.startsWith('-'), 'must not be negative')
  .meta({
    description: 'A decimal number as text, zero or more, in the currency of the price book.',
    pattern: unsigned,
    examples: ['12.50'],
  })

/** The sum of very many messages must still be an amount that the API can show. */
const highestPrice = 1_000_000
export const messagePrice = nonNegativeAmount.refine(
  (text) => Number(text) <= highestPrice,
  `must be at most ${highestPrice}`,
)

/** ISO 3166-1 alpha-2, and `XK`, which phone numbers use for Kosovo. */
export const countryCodes = (
  'AD AE AF AG AI AL AM AO AQ AR AS AT AU AW AX AZ BA BB BD BE BF BG BH BI BJ BL BM BN BO BQ BR BS BT BV BW BY BZ ' +
  'CA CC CD CF CG CH CI CK CL CM CN CO CR CU CV CW CX CY CZ DE DJ DK DM DO DZ EC EE EG EH ER ES ET FI FJ FK FM FO FR ' +
  'GA GB GD GE GF GG GH GI GL GM GN GP GQ GR GS GT GU GW GY HK HM HN HR HT HU ID IE IL IM IN IO IQ IR IS IT JE JM JO JP ' +
  'KE KG KH KI KM KN KP KR KW KY KZ LA LB LC LI LK LR LS LT LU LV LY MA MC MD ME MF MG MH MK ML MM MN MO MP MQ MR MS MT ' +
  'MU MV MW MX MY MZ NA NC NE NF NG NI NL NO NP NR NU NZ OM PA PE PF PG PH PK PL PM PN PR PS PT PW PY QA RE RO RS RU RW ' +
  'SA SB SC SD SE SG SH SI SJ SK SL SM SN SO SR SS ST SV SX SY SZ TC TD TF TG TH TJ TK TL TM TN TO TR TT TV TW TZ ' +
  'UA UG UM US UY UZ VA VC VE VG VI VN VU WF WS XK YE YT ZA ZM ZW'
).split(' ')
const knownCountries: ReadonlySet<string> = new Set(countryCodes)

export const country = z
  .string()
  .refine((code) => knownCountries.has(code), 'is not an ISO 3166-1 alpha-2 country code in capitals')
  .meta({
    description: 'ISO 3166-1 alpha-2 in capitals, or `XK`.',
    pattern: '^[A-Z]{2}$',
    examples: ['GB'],
  })

/** Checked by Node, since no short pattern describes an address. */
export const clientIp = z
  .string()
  .max(64)
  .meta({
    description:
      'The end user’s IPv4 or IPv6 address as text, without brackets, port or zone; not your server’s. Server keys only. A malformed one is 422; a private or reserved one counts as absent.',
    examples: ['81.2.69.142', '2001:4860:4860::8888'],
  })

/** Checked by the runtime, which knows well-formed language tags. */
export const writtenLocale = z
  .string()
  .max(35)
  .meta({
    description:
      'A language tag (BCP 47), also as systems write it: `en`, `pt-BR`, `en_US`, `en-US@posix`. What is none is 422; one that has no texts falls back.',
    examples: ['en', 'pt-BR'],
  })
