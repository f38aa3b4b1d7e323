/** Makes the subject of a call: whom it wants to reach. */
import type { ChannelName, KeyKind } from '@countersign/contract'
import type { Keyring } from '../../../platform/keyring.ts'
import { recipientContext } from '../../delivery/index.ts'
import { parseRecipient, type Recipient } from '../../guard/index.ts'
import type { App } from '../../tenancy/index.ts'
import { otpNotFound, type Verification } from '../verification.ts'
import type { SendCall } from './batch.ts'
import type { Subject } from './rule.ts'

export const subjectOfSend = ({
  app,
  keyKind,
  recipient,
  recipientHash,
  clientIp,
  among,
}: Pick<SendCall, 'app' | 'keyKind' | 'recipient' | 'recipientHash' | 'clientIp' | 'among'>): Subject => ({
  app,
  keyKind,
  ...factsOfRecipient(recipient),
  recipientHash,
  clientIp: clientIp?.address ?? null,
  ipKey: clientIp?.limitKey ?? null,
  among,
  resend: null,
})

interface Resent {
  readonly app: App
  readonly keyKind: KeyKind
  readonly channel: ChannelName | null
}

export function subjectOfResend(
  { app, keyKind, channel: named }: Resent,
  current: Verification,
  keyring: Keyring,
): Subject {
  const recipient =
    current.recipient && parseRecipient(keyring.open(current.recipient, recipientContext(current.otpId)))
  if (!recipient || !current.recipientHash) throw otpNotFound()
  return {
    app,
    keyKind,
    ...factsOfRecipient(recipient),
    recipientHash: current.recipientHash,
    clientIp: current.clientIp,
    ipKey: current.ipKey,
    among: null,
    resend: { current, named },
  }
}

/** The subject of a verification that has ended. Its recipient may be erased; the first rule refuses it by its end. */
export const subjectOfEnded = ({ app, keyKind, channel: named }: Resent, current: Verification): Subject => ({
  app,
  keyKind,
  recipientType: current.recipientType,
  country: current.country,
  isFixedLine: false,
  isDisposable: false,
  number: null,
  spellings: [],
  emailDomain: null,
  recipientHash: current.recipientHash ?? Buffer.alloc(0),
  clientIp: current.clientIp,
  ipKey: current.ipKey,
  among: null,
  resend: { current, named },
})

const factsOfRecipient = ({ type, country, isFixedLine, isDisposable, canonical, address }: Recipient) => ({
  recipientType: type,
  country,
  isFixedLine,
  isDisposable,
  number: type === 'phone' ? canonical : null,
  spellings: type === 'phone' ? [canonical, address] : [],
  emailDomain: type === 'email' ? address.slice(address.lastIndexOf('@') + 1) : null,
})
