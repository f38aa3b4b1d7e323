/** Under which hash somebody is known who is looked for or erased, as people write them. */
import { AppError } from '@countersign/contract'
import type { Keyring } from '../../platform/keyring.ts'
import { readRecipient } from '../guard/index.ts'
import { hashRecipient } from './issuing/send.ts'

export function hashOfWritten(keyring: Keyring, text: string, country: string | null): Buffer {
  const recipient = readRecipient(text, country)
  if (recipient) return hashRecipient(keyring, recipient)
  throw new AppError(
    'InvalidRecipientError',
    'recipient is neither an email address nor a phone number; a number without its calling code needs country.',
  )
}
