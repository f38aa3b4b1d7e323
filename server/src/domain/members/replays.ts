/**
 * A change that is repeated because its answer was lost is made once. The key is taken, the change made and its answer
 * kept in one transaction: there is none of them without the others, and a process that dies leaves the key free.
 */
import { AppError } from '@countersign/contract'
import type { Clock } from '../../platform/clock.ts'
import type { Database, Transaction } from '../../platform/database.ts'
import { joined } from '../../platform/joined.ts'
import type { Keyring } from '../../platform/keyring.ts'
import type { Owner } from '../../platform/tenant.ts'
import * as store from './replay-store.ts'

export interface ReplayDependencies {
  readonly database: Database
  readonly clock: Clock
  readonly keyring: () => Keyring
}

/** A change with an idempotency key. */
export interface KeyedChange {
  /** The owner of the thing that the call is about. */
  readonly ownerId: Owner
  /** Nobody else gets the stored answer. */
  readonly caller: string
  readonly operation: string
  readonly params: Readonly<Record<string, string>>
  readonly key: string
  /** The query and the body: a repeat must have the same. */
  readonly request: unknown
}

/** The first answer. */
export interface Replay {
  readonly answer: unknown
}

const hashesOf = (keyring: Keyring, { caller, operation, params, key, request }: KeyedChange) => ({
  keyHash: keyring.lookupHash('change', JSON.stringify([caller, operation, Object.values(params), key])),
  requestHash: keyring.lookupHash('change request', JSON.stringify(request, inOneOrder)),
})

/** Sorts the fields of objects, since their order means nothing. */
const inOneOrder = (_: string, value: unknown): unknown =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value).sort(([left], [right]) => (left < right ? -1 : 1)))
    : value

/** Undefined if the change was not made before. */
export async function findReplay(
  { database, keyring: readKeyring }: ReplayDependencies,
  change: KeyedChange,
): Promise<Replay | undefined> {
  const keyring = readKeyring()
  const { keyHash, requestHash } = hashesOf(keyring, change)
  const stored = await store.findReplay(database.of(change.ownerId), keyHash)
  return stored && opened(keyring, stored, change.ownerId, keyHash, requestHash)
}

/** Makes the change with a database that is part of its transaction, and settles it there; or returns the first answer. */
export async function changeOnce<Answer>(
  { database, clock, keyring: readKeyring }: ReplayDependencies,
  change: KeyedChange,
  make: (database: Database) => Promise<Answer>,
  settle: (transaction: Transaction, answer: Answer) => Promise<void>,
): Promise<{ readonly answer: Answer } | { readonly replay: Replay }> {
  const keyring = readKeyring()
  const { ownerId } = change
  const { keyHash, requestHash } = hashesOf(keyring, change)
  return database.transaction(async (transaction) => {
    const tenant = transaction.of(ownerId)
    const stored = await store.claimReplay(tenant, keyHash, requestHash)
    if (stored.answer.length > 0) return { replay: opened(keyring, stored, ownerId, keyHash, requestHash) }
    const answer = await make(joined(database, transaction))
    const dataKey = keyring.current(clock.nowMs())
    const sealed = keyring.seal(dataKey, JSON.stringify(answer), contextOf(ownerId, keyHash))
    await store.keepAnswer(tenant, keyHash, sealed)
    await settle(transaction, answer)
    return { answer }
  })
}

function opened(
  keyring: Keyring,
  stored: store.StoredReplay,
  ownerId: Owner,
  keyHash: Buffer,
  requestHash: Buffer,
): Replay {
  if (!stored.requestHash.equals(requestHash))
    throw new AppError(
      'InvalidIdempotencyKeyError',
      'This idempotency-key was used before, for a call with another body or query. That call has taken effect; use another key for this one.',
    )
  return { answer: JSON.parse(keyring.open(stored.answer, contextOf(ownerId, keyHash))) }
}

/** Answers may hold a secret that is shown once, so an answer that is moved to another row cannot be decrypted. */
const contextOf = (ownerId: Owner, keyHash: Buffer) =>
  `answer of a change ${ownerId} ${keyHash.toString('hex')}`
