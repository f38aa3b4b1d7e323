/**
 * A chain of the audit trail: each row carries a keyed hash over itself and the row before it. The key comes from
 * the master key and is in no table, so that whoever can write to the database can break a chain, and not mend it.
 *
 *   row 1 ← row 2 ← … ← row n       the head says where the chain ends, under a hash of its own
 *   └ anchor                        the last row that retention took, likewise
 */
import type { Database } from '../../platform/database.ts'
import type { Keyring } from '../../platform/keyring.ts'
import * as store from './audit-store.ts'

export interface ChainDependencies {
  readonly database: Database
  readonly keyring: () => Keyring
}

export type Draft = Omit<
  store.EntryRow,
  'company_id' | 'position' | 'created_at' | 'expires_at' | 'data_key' | 'mac'
>

const keptDays = 400
const dayMs = 86_400_000

export function macOf(keyring: Keyring, previous: Buffer, row: Omit<store.EntryRow, 'mac'>): Buffer {
  const said = [
    'entry',
    previous.toString('hex'),
    row.company_id,
    String(row.position),
    row.audit_id,
    row.settles,
    row.outcome,
    row.error_type,
    row.is_copy,
    row.actor,
    row.person_id,
    row.action,
    row.app_id,
    row.subject,
    row.changes_text,
    row.address,
    row.request_id,
    row.created_at.toISOString(),
    row.expires_at.toISOString(),
    row.data_key,
  ]
  return keyring.auditMac(row.data_key, JSON.stringify(said))
}

/** Of the head or the anchor: that the chain ends, or begins, where the service says. */
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
export function isHeadOurs(keyring: Keyring, chain: store.ChainRow): boolean {
  const { company_id: companyId, position, mac, seal, data_key: dataKey } = chain
  return keyring.has(dataKey) && sealOf(keyring, 'head', { companyId, position, mac, dataKey }).equals(seal)
}

/** What a row hangs on to when the head before it was changed by others: the break must stay for all to see. */
const nothingOfOurs = Buffer.from('the head was changed')

const isNew = ({ position, seal }: store.ChainRow) => position === 0n && seal.length === 0

/** In a transaction of its own: the lock is held for two statements, and only by those who change something. */
export async function append(
  { database, keyring }: ChainDependencies,
  companyId: store.ChainId,
  draft: Draft,
): Promise<void> {
  const keys = keyring()
  await database.transaction(async (transaction) => {
    const tenant = transaction.of(companyId)
    const head = await store.lockChain(tenant)
    const unsigned = {
      ...draft,
      company_id: companyId,
      position: head.position + 1n,
      created_at: head.now,
      expires_at: new Date(head.now.getTime() + keptDays * dayMs),
      // Never an older key than the row before: one that got out must not write on.
      data_key: Math.max(head.data_key, keys.current(head.now.getTime())),
    }
    const mac = macOf(keys, isNew(head) || isHeadOurs(keys, head) ? head.mac : nothingOfOurs, unsigned)
    const seal = sealOf(keys, 'head', {
      companyId,
      position: unsigned.position,
      mac,
      dataKey: unsigned.data_key,
    })
    await store.appendRow(tenant, { ...unsigned, mac }, seal)
  })
}
