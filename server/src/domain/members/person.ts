/**
 * People of the dashboard.
 *
 *   stranger  → member     an invitation to an email address, and a sign-in that proves the address
 *   anybody   → operator   a sign-in link that the command line makes with --new
 *   operator  → what they are in companies, or nobody     demoted, or removed
 *
 * A person is known by an email address as it is written, without regard to capitals: tags and dots are
 * kept, since not every mail server gives `a+b` and `a` to the same person.
 */
import { AppError, type Role } from '@countersign/contract'
import type { Clock } from '../../platform/clock.ts'
import type { Database } from '../../platform/database.ts'
import type { CompanyId, PersonId } from '../../platform/ids.ts'
import type { Keyring } from '../../platform/keyring.ts'
import { parseRecipient } from '../guard/index.ts'

export interface MemberDependencies {
  readonly database: Database
  readonly clock: Clock
  readonly keyring: () => Keyring
}

export interface Person {
  readonly personId: PersonId
  readonly email: string
  readonly name: string | null
  readonly isOperator: boolean
}

export interface Membership {
  readonly companyId: CompanyId
  readonly companyName: string
  readonly role: Role
  readonly isPasskeyRequired: boolean
}

export interface EmailForms {
  readonly address: string
  readonly hash: Buffer
  readonly sealed: Buffer
}

const sealContext = 'email of a person'

export function emailForms(
  { keyring, clock }: Omit<MemberDependencies, 'database'>,
  text: string,
): EmailForms {
  // A person signs in with any keyboard, and not all compose letters alike.
  const recipient = parseRecipient(text.trim().normalize('NFC'))
  if (recipient?.type !== 'email') {
    throw new AppError('InvalidRecipientError', 'email must be an email address such as you@example.com.')
  }
  const keys = keyring()
  const address = recipient.address
  return {
    address,
    hash: keys.lookupHash('person', address.toLowerCase()),
    sealed: keys.seal(keys.current(clock.nowMs()), address, sealContext),
  }
}

export const openEmail = (keyring: Keyring, sealed: Buffer): string => keyring.open(sealed, sealContext)
