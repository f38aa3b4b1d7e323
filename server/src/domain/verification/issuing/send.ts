/** Turns the body of a send or resend into a call, which joins a batch. */
import { AppError, type ChannelName, type VerificationAnswer, whyOf } from '@countersign/contract'
import type { Clock } from '../../../platform/clock.ts'
import { type Database, inOrder } from '../../../platform/database.ts'
import { type CompanyId, parseId } from '../../../platform/ids.ts'
import type { Keyring } from '../../../platform/keyring.ts'
import { lookAt } from '../../billing/index.ts'
import { type ClientIp, parseRecipient, type Recipient, readRecipient } from '../../guard/index.ts'
import type { Principal } from '../../tenancy/index.ts'
import type { NoteRefusal } from '../refusals/refusal.ts'
import { otpNotFound } from '../verification.ts'
import type { ResendCall } from './batch.ts'
import * as store from './batch-read-store.ts'
import type { Issue } from './issue.ts'
import { openReplay } from './read-batch.ts'
import { unreadableRefusal } from './refused.ts'

export interface SendDependencies {
  readonly database: Database
  readonly keyring: () => Keyring
  readonly clock: Clock
  readonly issue: Issue
  readonly noteRefusal: NoteRefusal
}

export interface SendInput {
  readonly recipient: string
  readonly locale: string | null
  /** The name that the messages use for the app; absent or null for the app's own name. */
  readonly friendlyName?: string | null
  readonly clientIp: ClientIp | null
  readonly idempotencyKey: string | null
  /** The channels that the send may use; absent or null for those of the order. */
  readonly among?: readonly ChannelName[] | null
}

export async function send(
  dependencies: SendDependencies,
  principal: Principal,
  { recipient: text, locale, friendlyName = null, clientIp, idempotencyKey, among = null }: SendInput,
): Promise<VerificationAnswer> {
  const { app, keyId, kind: keyKind } = principal
  const keyring = dependencies.keyring()
  // The hash includes the kind of key: a device must not pass its own verification off as a backend's.
  const idempotencyHash =
    idempotencyKey === null ? null : keyring.lookupHash('idempotency', `${keyKind} ${idempotencyKey}`)
  const recipient = parseRecipient(text, app.settings.number_check)
  if (!recipient) {
    // A replay is answered before the recipient is looked at.
    const replay = idempotencyHash && (await findReplay(dependencies, app.companyId, idempotencyHash))
    if (replay) return replay.answer
    throw refuseText(dependencies, principal, text, clientIp)
  }
  return dependencies.issue({
    kind: 'send',
    app,
    keyId,
    keyKind,
    recipient,
    recipientHash: hashRecipient(keyring, recipient),
    // The locale is not resolved yet: which languages there are depends on the channel, which may change.
    locale: locale ?? app.settings.default_locale,
    friendlyName,
    clientIp,
    among,
    idempotencyHash,
  })
}

export interface ResendInput {
  readonly otpId: string
  /** Null for the next channel in the order. */
  readonly channel: ChannelName | null
  /** The name that the messages use for the app from now on; absent for no change. */
  readonly friendlyName?: string | null
}

export async function resend(
  { issue }: Pick<SendDependencies, 'issue'>,
  { app, keyId, kind: keyKind }: Pick<Principal, 'app' | 'kind'> & Pick<ResendCall, 'keyId'>,
  { otpId: text, channel, friendlyName }: ResendInput,
): Promise<VerificationAnswer> {
  const otpId = parseId('verification', text)
  if (!otpId) throw otpNotFound()
  return issue({ kind: 'resend', app, keyId, keyKind, otpId, channel, friendlyName })
}

export const notARecipient = {
  rule: 'recipient',
  outcome: 'refuse',
  facts: { because: 'invalid' },
} as const

export const invalidRecipient = () => new AppError('InvalidRecipientError', whyOf(notARecipient))

function refuseText(
  { keyring, clock, noteRefusal }: SendDependencies,
  principal: Principal,
  text: string,
  clientIp: ClientIp | null,
): AppError {
  const error = invalidRecipient()
  const recipient = readRecipient(text)
  const meant = recipient && { recipient, recipientHash: hashRecipient(keyring(), recipient) }
  const atMs = clock.nowMs()
  noteRefusal(unreadableRefusal({ principal, decided: notARecipient, error, meant, clientIp, atMs }))
  return error
}

/** The hash by which limits, memory, inbound messages and erasure find the recipient. */
export const hashRecipient = (keyring: Keyring, { canonical }: Pick<Recipient, 'canonical'>) =>
  keyring.lookupHash('recipient', canonical)

async function findReplay({ database, keyring }: SendDependencies, companyId: CompanyId, keyHash: Buffer) {
  const [row] = await lookAt(database, companyId, async (held, found) => {
    const [, rows] = await inOrder([found, store.readReplays(held, [{ companyId, keyHash }])])
    return rows
  })
  return row && openReplay(row, keyring())
}
