/**
 * A chain of the audit trail: each row carries a keyed hash over itself and the row before it. The key comes from the
 * master key and is in no table, so that whoever can write to the database can break a chain but not repair it.
 *
 *   row 1 ← row 2 ← … ← row n       the head says where the chain ends, under a hash of its own
 *   └ anchor                        the last row that retention took, likewise
 */
import type { Database, Transaction } from '../../../platform/database.ts'
import type { Keyring } from '../../../platform/keyring.ts'
import * as store from './store.ts'

export interface ChainDependencies {
  readonly database: Database
  readonly keyring: () => Keyring
}

export type Draft = Omit<
  store.ChainEntry,
  'companyId' | 'position' | 'createdAt' | 'expiresAt' | 'dataKey' | 'mac'
>

const keptDays = 400
const dayMs = 86_400_000

export function macOf(keyring: Keyring, previous: Buffer, row: Omit<store.ChainEntry, 'mac'>): Buffer {
  const said = [
    'entry',
    previous.toString('hex'),
    row.companyId,
    String(row.position),
    row.auditId,
    row.settles,
    row.outcome,
    row.errorType,
    row.isCopy,
    row.actor,
    row.personId,
    row.action,
    row.appId,
    row.subject,
    row.changesText,
    row.address,
    row.requestId,
    row.createdAt.toISOString(),
    row.expiresAt.toISOString(),
    row.dataKey,
  ]
  return keyring.auditMac(row.dataKey, JSON.stringify(said))
}

/** The seal of the head or the anchor: it proves that the chain ends, or begins, where the service says. */
export const sealOf = (
  keyring: Keyring,
  kind: 'head' | 'anchor',
  chain: {
    readonly companyId: string
    readonly position: bigint
    readonly mac: Buffer
    readonly dataKey: number
  },
): Buffer =>
  keyring.auditMac(
    chain.dataKey,
    JSON.stringify([kind, chain.companyId, String(chain.position), chain.mac.toString('hex'), chain.dataKey]),
  )

/** Whether the service itself has written where the chain ends. */
export function isHeadOurs(keyring: Keyring, chain: store.ChainEnds): boolean {
  return keyring.has(chain.dataKey) && sealOf(keyring, 'head', chain).equals(chain.seal)
}

/** The hash that a row is chained to if somebody else has changed the head: the break must stay visible. */
const nothingOfOurs = Buffer.from('the head was changed')

const isNew = ({ position, seal }: store.ChainEnds) => position === 0n && seal.length === 0

/** Runs in a transaction of its own: the lock is held for two statements, and only by those who change something. */
export const append = (
  dependencies: ChainDependencies,
  companyId: store.ChainId,
  draft: Draft,
): Promise<void> =>
  dependencies.database.transaction((transaction) =>
    appendWithin(dependencies, transaction, companyId, draft),
  )

/** Must be the last statements of their transaction: everybody else waits for the chain until it commits. */
export async function appendWithin(
  { keyring }: Pick<ChainDependencies, 'keyring'>,
  transaction: Transaction,
  companyId: store.ChainId,
  draft: Draft,
): Promise<void> {
  const keys = keyring()
  const tenant = transaction.of(companyId)
  const head = await store.lockChain(tenant)
  const unsigned = {
    ...draft,
    companyId,
    position: head.position + 1n,
    createdAt: head.now,
    expiresAt: new Date(head.now.getTime() + keptDays * dayMs),
    // The key is never older than that of the row before: a key that has leaked must not be used again.
    dataKey: Math.max(head.dataKey, keys.current(head.now.getTime())),
  }
  const mac = macOf(keys, isNew(head) || isHeadOurs(keys, head) ? head.mac : nothingOfOurs, unsigned)
  const entry = { ...unsigned, mac }
  await store.appendEntry(tenant, entry, sealOf(keys, 'head', entry))
}
