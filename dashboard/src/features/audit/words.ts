/** What an entry of the trail says, in words. */
import type { AuditAnswer } from '@countersign/contract'

export type AuditEntry = AuditAnswer['entries'][number]

const actions: Readonly<Record<string, string>> = {
  createCompany: 'Created the company',
  updateCompany: 'Changed the company',
  creditCompany: 'Topped the balance up',
  eraseRecipient: 'Erased a recipient',
  putPrices: 'Replaced the price book',
  createApp: 'Created an app',
  updateApp: 'Changed settings of the app',
  createKey: 'Created a key',
  revokeKey: 'Revoked a key',
  liftBlock: 'Lifted a block',
  createProvider: 'Added a provider account',
  updateProvider: 'Changed a provider account',
  deleteProvider: 'Removed a provider account',
  putWebhook: 'Set the webhook endpoint',
  deleteWebhook: 'Removed the webhook endpoint',
  enableWebhook: 'Re-enabled the webhook endpoint',
  rotateWebhookSecret: 'Rotated the signing secret',
  testWebhook: 'Sent a test event',
  replayEvent: 'Replayed an event',
  replayFailed: 'Replayed failed events',
  updateMe: 'Changed their name',
  endSession: 'Ended a session',
  signInWithCode: 'Signed in',
  signInWithLink: 'Signed in by link',
  updateMember: 'Changed a member’s role',
  removeMember: 'Removed a member',
  inviteMember: 'Invited a person',
  withdrawInvitation: 'Withdrew an invitation',
}

/** A new operation has no words here yet: its own name is taken apart. */
export const actionText = (action: string): string =>
  actions[action] ?? action.replace(/([A-Z])/g, ' $1').replace(/^./, (first) => first.toUpperCase())

export const actorText = ({ actor }: AuditEntry): string =>
  actor.email ?? (actor.kind === 'token' ? 'Operator’s token' : (actor.person_id ?? 'Somebody'))

const short = 120

/** One line per changed field; what is nested is shown as it was sent. */
export function changeLines(
  changes: AuditEntry['changes'],
): readonly (readonly [field: string, value: string])[] {
  return Object.entries(changes).map(([field, value]) => {
    const text = typeof value === 'string' ? value : JSON.stringify(value)
    return [field, text.length > short ? `${text.slice(0, short)}…` : text] as const
  })
}
