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

/**
 * Longer than any address. A shorter text that is no address is refused as a recipient, not by its length.
 */
const maxRecipient = 320
export const recipient = z
  .string()
  .max(maxRecipient)
  .meta({ description: 'E.164 phone number (`+` and digits) or an email address.' })

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

/** What lists say of an address, from worst to best. */
export const ipClass = z.enum(['abusive', 'tor', 'proxy', 'vpn', 'hosting', 'relay'])
export type IpClass = z.infer<typeof ipClass>

/** What `limits` counts by. */
export const countedScope = z.enum(['recipient', 'ip', 'flagged_ip', 'app', 'app_without_ip'])
export type CountedScope = z.infer<typeof countedScope>

const limitScope = z.enum([...countedScope.options, 'pumping', 'spend', 'rule', 'cooldown'])
export type LimitScope = z.infer<typeof limitScope>

export const blockLevel = z
  .enum(['r100', 'r1k', 'r10k', 'carrier', 'country', 'known_carrier', 'known_country', 'ip'])
  .meta({
    description:
      '`r100`, `r1k`, `r10k`: ranges of that many numbers. `known_carrier`, `known_country`: only for recipients whom the app has verified before.',
  })

export const timestamp = z.iso.datetime().meta({ description: 'ISO 8601, UTC, with `Z`.' })

/** What people write. No control characters: PostgreSQL holds no NUL, and lists stay readable. */
export const plainText = z.string().regex(/^[^\p{Cc}]*$/u, 'must not contain control characters')

/** Money in the API: a decimal string of one currency, at most six decimals. */
export const amount = z
  .string()
  .regex(/^-?\d{1,12}(\.\d{1,6})?$/, 'must be an amount such as "12.50", with at most six decimals')
export const positiveAmount = amount.refine(
  (text) => /[1-9]/.test(text) && !text.startsWith('-'),
  'must be greater than zero',
)
export const nonNegativeAmount = amount.refine((text) => !text.startsWith('-'), 'must not be negative')

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
  .meta({ description: 'ISO 3166-1 alpha-2, in capitals.' })
