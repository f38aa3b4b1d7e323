/** The words for an entry of the audit trail. */
import type { AuditAnswer, LimitWindow } from '@countersign/contract'
import { channelLabels } from '#lib/format.ts'
import { settingLabels } from '#lib/setting-labels.ts'

export type AuditEntry = AuditAnswer['entries'][number]

const actions: Readonly<Record<string, string>> = {
  createCompany: 'Created the company',
  updateCompany: 'Changed the company',
  closeCompany: 'Closed the company',
  creditCompany: 'Topped up the balance',
  eraseRecipient: 'Erased a recipient',
  putPrices: 'Replaced the price book',
  createApp: 'Created an app',
  updateApp: 'Changed the app’s settings',
  pauseApp: 'Paused the app',
  resumeApp: 'Resumed the app',
  deleteApp: 'Deleted the app',
  createKey: 'Created a key',
  revokeKey: 'Revoked a key',
  liftBlock: 'Lifted a block',
  restoreBlock: 'Restored a lifted block',
  putRules: 'Changed the app’s own rules',
  restoreRuleRevision: 'Restored earlier rules',
  createProvider: 'Added a provider account',
  updateProvider: 'Changed a provider account',
  deleteProvider: 'Removed a provider account',
  checkProvider: 'Checked a provider account',
  testProvider: 'Sent a test message',
  putWebhook: 'Set the webhook endpoint',
  deleteWebhook: 'Removed the webhook endpoint',
  enableWebhook: 'Re-enabled the webhook endpoint',
  rotateWebhookSecret: 'Rotated the signing secret',
  testWebhook: 'Sent a test event',
  createWebhook: 'Added a webhook endpoint',
  updateEndpoint: 'Changed a webhook endpoint',
  deleteEndpoint: 'Removed a webhook endpoint',
  enableEndpoint: 'Re-enabled a webhook endpoint',
  rotateSecretOfEndpoint: 'Rotated a signing secret',
  testEndpoint: 'Sent a test event',
  replayEvent: 'Replayed an event',
  replayFailed: 'Replayed failed events',
  cancelVerification: 'Cancelled a verification',
  resendVerification: 'Resent a verification',
  eraseVerification: 'Erased the recipient of a verification',
  exceptVerification: 'Made an exception for the recipient of a verification',
  exceptRecipient: 'Made an exception for a recipient',
  liftException: 'Ended an exception',
  putAlerts: 'Changed the alerts',
  testAlerts: 'Sent a test alert',
  putOperatorAlerts: 'Changed the operator’s alerts',
  rotateAlertSecret: 'Rotated the alerts’ signing secret',
  rotateOperatorAlertSecret: 'Rotated the signing secret of the operator’s alerts',
  testOperatorAlerts: 'Sent a test alert to the operator’s channels',
  updateMe: 'Changed their name',
  endSession: 'Ended a session',
  endOtherSessions: 'Ended all their other sessions',
  startSignIn: 'Asked for a code to sign in',
  signInWithCode: 'Signed in',
  signInWithLink: 'Signed in with a link',
  startPasskeySignIn: 'Began to sign in with a passkey',
  signInWithPasskey: 'Signed in with a passkey',
  proveWithCode: 'Confirmed their identity with a code',
  proveWithPasskey: 'Confirmed their identity with a passkey',
  addPasskey: 'Created a passkey',
  renamePasskey: 'Renamed a passkey',
  removePasskey: 'Removed a passkey',
  putSignInRules: 'Changed the sign-in rules of the company',
  demoteOperator: 'Demoted an operator',
  removeOperator: 'Removed an operator',
  revokeSignInLink: 'Revoked a sign-in link',
  'sign-in-link': 'Made a sign-in link',
  'create-company': 'Created a company',
  'create-app': 'Created an app',
  'create-key': 'Created a key',
  'revoke-sign-in-link': 'Revoked a sign-in link',
  'demote-operator': 'Demoted an operator',
  'remove-operator': 'Removed an operator',
  'rotate-data-key': 'Rotated the data key',
  updateMember: 'Changed a member’s role',
  removeMember: 'Removed a member',
  inviteMember: 'Invited a person',
  withdrawInvitation: 'Withdrew an invitation',
}

/** An operation without words here is named by splitting its own name. */
export const actionText = (action: string): string =>
  actions[action] ?? action.replace(/([A-Z])/g, ' $1').replace(/^./, (first) => first.toUpperCase())

const actors = {
  person: 'Somebody',
  token: 'Operator’s token',
  command_line: 'Command line',
  stranger: 'Not signed in',
} as const

export const actorText = ({ actor }: AuditEntry): string =>
  actor.email ?? actor.person_id ?? actors[actor.kind]

/** What the action was done to. Null for the company, whose page this is, and for the app, which is named beside it. */
export function subjectText({ action, subject, app_id, company_id }: AuditEntry): string | null {
  if (subject === null || subject === company_id || subject === app_id) return null
  return action === 'restoreRuleRevision' ? `revision ${subject}` : subject
}

const refusals: Readonly<Record<string, string>> = {
  ForbiddenError: 'not allowed',
  FreshSignInNeededError: 'needed a fresh sign-in',
  PasskeyNeededError: 'needed a passkey',
  NotFoundError: 'not found',
  ValidationError: 'not valid',
  ConflictError: 'conflict',
  WrongCode: 'wrong code',
  TokenNotFound: 'unknown link',
  OtpNotFoundError: 'unknown code',
  OtpNotPendingError: 'code no longer valid',
  InvalidIdempotencyKeyError: 'key used before',
}

/** Why it was refused, in a few words. */
export const refusalText = ({ error_type }: AuditEntry): string => {
  // An equal call of the same moment has made the change.
  if (error_type === 'Repeated') return 'repeated'
  const why = error_type === null ? undefined : (refusals[error_type] ?? error_type)
  return why ? `refused: ${why}` : 'refused'
}

const mostLines = 8
const mostCharacters = 120

type Line = readonly [field: string, value: string]

const labels: Readonly<Record<string, string>> = {
  ...settingLabels,
  ...Object.fromEntries(Object.entries(channelLabels).map(([name, label]) => [`channels.${name}`, label])),
}

/** Each part of the path by its label; without one, by its name in the API. */
const labelOf = (path: string): string =>
  path
    .split('.')
    .map((part, index, parts) => labels[parts.slice(0, index + 1).join('.')] ?? part.replaceAll('_', ' '))
    .join(' › ')

const isScalar = (value: unknown) => typeof value !== 'object' || value === null

/** The lines for one value, each under its path in the body. A list of scalars is one line, any other one an entry. */
function linesOf(path: string, value: unknown): Line[] {
  if (isScalar(value)) return [[path, value === null ? 'none' : String(value)]]
  if (Array.isArray(value) && value.every(isScalar)) return [[path, value.join(', ') || 'none']]
  if (Array.isArray(value)) return value.map((one, index) => [`${path}.${index + 1}`, inOneLine(one)])
  const parts = Object.entries(value ?? {})
  return parts.length === 0
    ? [[path, 'none']]
    : parts.flatMap(([name, part]) => linesOf(`${path}.${name}`, part))
}

const isWindow = (value: object): value is LimitWindow => 'max' in value && 'window_s' in value

/** An object in one line, such as `name Ours, when none`. */
const inOneLine = (value: unknown): string =>
  typeof value !== 'object' || value === null
    ? String(value)
    : isWindow(value)
      ? `at most ${value.max} in ${value.window_s} s`
      : Object.entries(value ?? {})
          .flatMap(([name, part]) => linesOf(name, part))
          .map(([name, words]) => `${name.replaceAll('_', ' ')} ${words}`)
          .join(', ')

const cut = (text: string) => (text.length > mostCharacters ? `${text.slice(0, mostCharacters)}…` : text)

/** What was sent, field by field; if that is very long, its beginning. */
export function changeLines({ action, changes }: Pick<AuditEntry, 'action' | 'changes'>): readonly Line[] {
  const lines = Object.entries(changes).flatMap(([field, value]) =>
    // An app's setting is reset by null: without it, `Limits none` would read as if there were none.
    value === null && action === 'updateApp' ? [[field, 'default'] as const] : linesOf(field, value),
  )
  const shown = lines.slice(0, mostLines).map(([field, value]) => [labelOf(field), cut(value)] as const)
  return lines.length > mostLines ? [...shown, ['…', `and ${lines.length - mostLines} more`]] : shown
}
