/** The hash of a recipient as people write it, to look them up, erase them or make an exception. */
import { AppError } from '@countersign/contract'
import type { Keyring } from '../../platform/keyring.ts'
import { readRecipient } from '../guard/index.ts'
import type { KnownRecipient } from './exceptions/exception.ts'
import { hashRecipient } from './issuing/send.ts'

export const hashOfWritten = (keyring: Keyring, text: string, country: string | null): Buffer =>
  recipientOfWritten(keyring, text, country).recipientHash

export function recipientOfWritten(keyring: Keyring, text: string, country: string | null): KnownRecipient {
  const recipient = readRecipient(text, country)
  if (recipient) {
    return { recipientHash: hashRecipient(keyring, recipient), maskedRecipient: recipient.masked }
  }
  throw new AppError(
    'InvalidRecipientError',
    'recipient is neither an email address nor a phone number; a number without its calling code needs country.',
  )
}
