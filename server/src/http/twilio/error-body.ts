/** Turns our refusals into Twilio's error body and codes: https://www.twilio.com/docs/verify/api/error-codes. */
import { AppError, type ErrorName, errorCatalogue } from '@countersign/contract'
import { type ErrorRecord, shownDetailsOf } from '../noted-errors.ts'

/** The answer for each code. */
export const codes = {
  20001: { status: 400, says: 'Unknown parameter' },
  20003: { status: 401, says: 'Authenticate' },
  20004: { status: 405, says: 'Method not allowed' },
  20005: { status: 403, says: 'Account not active' },
  20404: { status: 404, says: 'The requested resource was not found' },
  20429: { status: 429, says: 'Too many requests' },
  20500: { status: 500, says: 'Internal error' },
  20503: { status: 503, says: 'Service unavailable' },
  60200: { status: 400, says: 'Invalid parameter' },
  60202: { status: 429, says: 'Max check attempts reached' },
  60203: { status: 429, says: 'Max send attempts reached' },
  60204: { status: 403, says: 'Service does not support this feature' },
  60205: { status: 403, says: 'SMS is not supported by landline phone number' },
  60212: { status: 429, says: 'Too many concurrent requests for phone number' },
  60221: { status: 400, says: 'No target verification specified' },
  60223: { status: 400, says: 'Delivery channel disabled' },
  60410: { status: 403, says: 'Verification delivery attempt blocked' },
  60605: { status: 403, says: 'Verification delivery attempt blocked' },
} as const
export type TwilioCode = keyof typeof codes

/** A refusal that only Twilio has a code for. `detail` is added to its message. */
export const refusal = (code: TwilioCode, detail = '', retryAfter?: number): AppError =>
  new AppError('ValidationError', detail, {
    twilio: code,
    ...(retryAfter === undefined ? {} : { retry_after: Math.max(1, Math.ceil(retryAfter)) }),
  })

const ofErrors: Partial<Readonly<Record<ErrorName, TwilioCode>>> = {
  InsufficientFundsError: 20005,
  GeoBlockedError: 60605,
  NoEnabledChannelError: 60223,
  ResendNotAllowedError: 60223,
  ResendCooldownError: 60212,
  OtpNotPendingError: 20404,
  CodeNotExpectedError: 20404,
}

/** Errors without a code of their own get one by their status. */
const ofStatuses: Readonly<Record<number, TwilioCode>> = {
  401: 20003,
  403: 60410,
  404: 20404,
  405: 20004,
  429: 20429,
  500: 20500,
  503: 20503,
}

const ofScopes: Readonly<Record<string, TwilioCode>> = { recipient: 60203, pumping: 60410 }

function codeOf({ errorName, details }: AppError): TwilioCode {
  const own = Object.keys(codes).find((code) => code === String(details.twilio))
  if (own) return Number(own) as TwilioCode
  const byScope = errorName === 'RateLimitExceededError' ? ofScopes[String(details.scope)] : undefined
  return byScope ?? ofErrors[errorName] ?? ofStatuses[errorCatalogue[errorName].status] ?? 60200
}

/** Twilio's names for our fields. */
const parameters: Readonly<Record<string, string>> = {
  recipient: 'To',
  code: 'Code',
  locale: 'Locale',
  client_ip: 'DeviceIp',
}

function detailOf({ errorName, message, details }: AppError): string {
  if (errorName === 'InvalidRecipientError') return 'To'
  const [field] = Array.isArray(details.fields) ? details.fields : []
  const parameter = parameters[String(field?.path)]
  return parameter ? `${parameter} ${field.message}` : message
}

export interface TwilioErrorBody {
  readonly code: number
  readonly message: string
  readonly more_info: string
  readonly status: number
}

export function twilioErrorOf(error: AppError): TwilioErrorBody {
  const code = codeOf(error)
  const { status, says } = codes[code]
  return {
    code,
    message: [says, detailOf(error)].filter(Boolean).join(': '),
    more_info: `https://www.twilio.com/docs/errors/${code}`,
    status: error.errorName === 'BodyTooLarge' ? 413 : status,
  }
}

/** The detail of this error is a name that the caller chose, so it is not kept. */
const echoing: TwilioCode = 20001

/** What is kept of an error: what the client was told. */
export function twilioErrorRecordOf(endpoint: string, error: AppError): ErrorRecord {
  const { code, status, message } = twilioErrorOf(error)
  return {
    endpoint,
    status,
    type: `Twilio ${code}`,
    message: code === echoing ? codes[echoing].says : message,
    details: shownDetailsOf(error),
  }
}

/** The path below which everything is answered in Twilio's format. */
export const twilioRoot = '/twilio'
export const isTwilioUrl = (url: string): boolean => /^\/twilio(?:[/?]|$)/.test(url)
