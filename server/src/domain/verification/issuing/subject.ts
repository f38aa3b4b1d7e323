/** Who a call is about. */
import type { ChannelName } from '@countersign/contract'
import type { Keyring } from '../../../platform/keyring.ts'
import { recipientContext } from '../../delivery/index.ts'
import { parseRecipient, type Recipient } from '../../guard/index.ts'
import type { App } from '../../tenancy/index.ts'
import { otpNotFound, type Verification } from '../verification.ts'
import type { SendCall } from './batch.ts'
import type { Subject } from './rule.ts'

export const subjectOfSend = ({
  app,
  recipient,
  recipientHash,
  clientIp,
}: Pick<SendCall, 'app' | 'recipient' | 'recipientHash' | 'clientIp'>): Subject => ({
  app,
  ...factsOfRecipient(recipient),
  recipientHash,
  clientIp: clientIp?.address ?? null,
  ipKey: clientIp?.limitKey ?? null,
  resend: null,
})

export function subjectOfResend(
  app: App,
  current: Verification,
  named: ChannelName | null,
  keyring: Keyring,
): Subject {
  const recipient =
    current.recipient && parseRecipient(keyring.open(current.recipient, recipientContext(current.otpId)))
  if (!recipient || !current.recipientHash) throw otpNotFound()
  return {
    app,
    ...factsOfRecipient(recipient),
    recipientHash: current.recipientHash,
    clientIp: current.clientIp,
    ipKey: current.ipKey,
    resend: { current, named },
  }
}

const factsOfRecipient = ({ type, country, isFixedLine, isDisposable, canonical }: Recipient) => ({
  recipientType: type,
  country,
  isFixedLine,
  isDisposable,
  number: type === 'phone' ? canonical : null,
})
