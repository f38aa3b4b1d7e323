/**
 * Receipts that came before the service had written that the message was sent. They are stored, and then both sides
 * look: the one that stored a receipt looks for the message once more, and the one that wrote a message looks for
 * receipts. Whichever commits last finds the other.
 */
import type { Receipt } from '../../channels/channel.ts'
import { bulkOf } from '../../platform/bulk.ts'
import { type Queryable, timeNow } from '../../platform/database.ts'
import type { Owner, Tenant } from '../../platform/tenant.ts'

/** How long they are kept: the service's own write follows within seconds, even after an outage of the database. */
const minutesKept = 10
/** If an account sends more receipts for unknown messages, its oldest are dropped. */
const maxPerAccount = 2_000
/** The most receipts that one statement stores, or drops to make room. */
export const mostEarly = 500
/** By then both sides have looked, unless one of them died in between. */
const sweepAfterSeconds = 30

/** The names by which an account's receipts may refer to one message. */
export interface EarlyNames {
  /** The owner of the account: a company, or the operator. */
  readonly companyId: Owner
  readonly providerId: string
  readonly names: readonly Buffer[]
}

export interface EarlyReceipt {
  readonly companyId: Owner
  readonly providerId: string
  readonly name: Buffer
  readonly status: Receipt['status']
  readonly error: Receipt['error']
  readonly unreachable: boolean
}

export const nameOfDelivery = (deliveryId: string) => Buffer.from(deliveryId)

const rows = bulkOf<EarlyReceipt>(
  {
    name: ['bytea', (row) => row.name],
    status: ['text', (row) => row.status],
    error_code: ['text', (row) => row.error?.code ?? null],
    error_message: ['text', (row) => row.error?.message ?? null],
    unreachable: ['boolean', (row) => row.unreachable],
  },
  3,
)

export async function storeEarly(
  tenant: Tenant<Owner>,
  providerId: string,
  early: readonly EarlyReceipt[],
): Promise<void> {
  await tenant.query({
    name: 'store-early-receipt',
    text: `
      with stored as (
        select count(*) as count from (
          select 1 from early_receipts where company_id = $1 and provider_id = $2 limit ${maxPerAccount}) kept
      ), dropped as (
        delete from early_receipts where company_id = $1 and ctid = any(array(
          select ctid from early_receipts
           where company_id = $1 and provider_id = $2 and (select count from stored) >= ${maxPerAccount}
             -- One that is sent again keeps its row.
             and not (name, status) in (select name, status from ${rows.source})
           order by created_at limit ${mostEarly} for update skip locked))
      )
      insert into early_receipts (company_id, provider_id, ${rows.names}, created_at, expires_at)
      select $1, $2, ${rows.names}, clock_timestamp(), clock_timestamp() + ${minutesKept} * interval '1 minute' from ${rows.source}
      on conflict (company_id, provider_id, name, status) do nothing`,
    values: [providerId, ...rows.values(early)],
  })
}

interface EarlyRow {
  company_id: Owner
  provider_id: string
  name: Buffer
  status: Receipt['status']
  error_code: string | null
  error_message: string | null
  unreachable: boolean
}

const columns = 'e.company_id, e.provider_id, e.name, e.status, e.error_code, e.error_message, e.unreachable'

const earlyOf = (row: EarlyRow): EarlyReceipt => ({
  companyId: row.company_id,
  providerId: row.provider_id,
  name: row.name,
  status: row.status,
  error: row.error_code === null ? null : { code: row.error_code, message: row.error_message ?? '' },
  unreachable: row.unreachable,
})

const named = bulkOf<Pick<EarlyReceipt, 'companyId' | 'providerId' | 'name'>>(
  {
    company_id: ['text', (row) => row.companyId],
    provider_id: ['text', (row) => row.providerId],
    name: ['bytea', (row) => row.name],
  },
  1,
)

/** Returns receipts in the order in which they came, since the first one decides. */
export async function findEarly(
  queryable: Queryable,
  wanted: readonly EarlyNames[],
): Promise<EarlyReceipt[]> {
  const each = wanted.flatMap(({ names, ...account }) => names.map((name) => ({ ...account, name })))
  const found = await queryable.query<EarlyRow>({
    name: 'find-early-receipts',
    text: `/* every company: what this worker has just written, looked for together */
           select ${columns}
             from ${named.source}
             join early_receipts e on e.company_id = row.company_id and e.provider_id = row.provider_id and e.name = row.name
            order by e.created_at`,
    values: named.values(each),
  })
  return found.rows.map(earlyOf)
}

/** Receipts that a crash may have left between storing and looking, oldest first; each is looked at once. */
export async function listUnswept(queryable: Queryable, limit: number): Promise<EarlyReceipt[]> {
  const found = await queryable.query<EarlyRow>({
    text: `/* every company: few are ever left, whose they are does not matter */
           select ${columns} from early_receipts e
            where not e.is_swept and e.created_at <= ${timeNow} - ${sweepAfterSeconds} * interval '1 second'
            order by e.created_at limit $1`,
    values: [limit],
  })
  return found.rows.map(earlyOf)
}

export async function markSwept(tenant: Tenant<Owner>, early: EarlyReceipt): Promise<void> {
  await tenant.query({
    name: 'mark-swept',
    text: `update early_receipts set is_swept = true
            where company_id = $1 and provider_id = $2 and name = $3 and status = $4`,
    values: [early.providerId, early.name, early.status],
  })
}

export async function removeEarly(tenant: Tenant<Owner>, early: EarlyReceipt): Promise<void> {
  await tenant.query({
    name: 'remove-early-receipt',
    text: `delete from early_receipts where company_id = $1 and provider_id = $2 and name = $3 and status = $4`,
    values: [early.providerId, early.name, early.status],
  })
}
