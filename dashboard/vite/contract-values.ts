/**
 * What every page needs of the contract at run time, as plain values. Pages import it as `#contract`; in the
 * bundle only the values are left (`contract-module.ts`), so that a page without a form does not load zod. Forms
 * check what they send with the schemas themselves (`@countersign/contract/bodies`).
 */

import { type AppSettings, type OperationName, operations } from '../../contract/src/index.ts'
import { providerKind } from '../../contract/src/providers/kinds.ts'
import { putRulesBody, ruleDraft, when } from '../../contract/src/tenancy/own-rules.ts'
import { appSettings } from '../../contract/src/tenancy/settings.ts'
import { otpStatus } from '../../contract/src/vocabulary.ts'
import { eventType } from '../../contract/src/webhooks/events.ts'
import { answerKind, eventStatus } from '../../contract/src/webhooks/webhooks.ts'

export { channelNames, roles } from '../../contract/src/index.ts'
export { countryCodes } from '../../contract/src/vocabulary.ts'
export { type KindOfProvider, kindsOfProvider, type Setting } from './provider-fields.ts'

export const otpStatuses = otpStatus.options
export const eventStatuses = eventStatus.options
export const eventTypes = eventType.options
export const answerKinds = answerKind.options
export const providerKinds = providerKind.options
export const defaultSettings: AppSettings = appSettings.parse({})

type Endpoint = readonly [method: string, path: string]

export const endpoints = Object.fromEntries(
  Object.entries(operations)
    .filter(([, { path }]) => path.startsWith('/manage/'))
    .map(([name, { method, path }]): [string, Endpoint] => [name, [method, path]]),
  // Other operations are missing here, but the client's types do not let a page call them.
) as Readonly<Record<OperationName, Endpoint>>

interface Bounds {
  readonly min: number
  readonly max: number
}

/** The bounds of a number. A field must have both to be used here. */
function boundsOf({
  minValue,
  maxValue,
}: {
  readonly minValue: number | null
  readonly maxValue: number | null
}): Bounds {
  if (minValue === null || maxValue === null) throw new Error('a number without bounds')
  return { min: minValue, max: maxValue }
}

type NumberName =
  | 'code_length'
  | 'code_ttl_s'
  | 'max_verify_attempts'
  | 'max_sends'
  | 'resend_cooldown_s'
  | 'token_ttl_s'

const numberOf = (name: NumberName) => ({
  ...boundsOf(appSettings.shape[name].unwrap()),
  default: defaultSettings[name],
})

export const numberBounds: Readonly<Record<NumberName, Bounds & { readonly default: number }>> = {
  code_length: numberOf('code_length'),
  code_ttl_s: numberOf('code_ttl_s'),
  max_verify_attempts: numberOf('max_verify_attempts'),
  max_sends: numberOf('max_sends'),
  resend_cooldown_s: numberOf('resend_cooldown_s'),
  token_ttl_s: numberOf('token_ttl_s'),
}

const limits = appSettings.shape.limits.unwrap().shape

const limitOf = (name: keyof typeof limits) => {
  const windows = limits[name].unwrap()
  const { max, window_s } = windows.element.shape
  const { maxItems = 1 } = windows.toJSONSchema()
  return { max: boundsOf(max), window_s: boundsOf(window_s), mostWindows: maxItems }
}

export const limitBounds = {
  recipient: limitOf('recipient'),
  recipient_failures: limitOf('recipient_failures'),
  ip: limitOf('ip'),
  flagged_ip: limitOf('flagged_ip'),
  app: limitOf('app'),
  app_without_ip: limitOf('app_without_ip'),
}

/** The longest that a list or a text may be. It must have a bound to be used here. */
function mostOf(schema: { readonly toJSONSchema: () => { maxItems?: number; maxLength?: number } }): number {
  const { maxItems, maxLength } = schema.toJSONSchema()
  const most = maxItems ?? maxLength
  if (most === undefined) throw new Error('a list or a text without a bound')
  return most
}

/** The bounds of an app's own rules: how many rules, characters of a name, and prefixes in one rule. */
export const ruleBounds = {
  rules: mostOf(putRulesBody.shape.rules),
  name: mostOf(ruleDraft.shape.name),
  prefixes: mostOf(when.shape.prefix.unwrap()),
}
