/** Answers of changes, for repeats with the same idempotency key. */
import type { Tenant } from '../../platform/database.ts'
import type { Owner } from '../../platform/tenant.ts'

const hoursReplayable = 24

export interface StoredReplay {
  readonly requestHash: Buffer
  /** Empty if the change is this transaction's to make. */
  readonly answer: Buffer
}

interface ReplayRow {
  request_hash: Buffer
  answer: Buffer
}

const replayOf = (row: ReplayRow): StoredReplay => ({ requestHash: row.request_hash, answer: row.answer })

export async function findReplay(tenant: Tenant<Owner>, keyHash: Buffer): Promise<StoredReplay | undefined> {
  const found = await tenant.query<ReplayRow>({
    text: `select request_hash, answer from change_replays
            where company_id = $1 and key_hash = $2 and expires_at > clock_timestamp()`,
    values: [keyHash],
  })
  return found.rows[0] && replayOf(found.rows[0])
}

/**
 * Claims the key, or returns what it was claimed for. A second caller waits here until the first has committed, and gets
 * its answer; if the first failed or died, the key goes to the second.
 */
export async function claimReplay(
  tenant: Tenant<Owner>,
  keyHash: Buffer,
  requestHash: Buffer,
): Promise<StoredReplay> {
  const claimed = await tenant.query<ReplayRow>({
    text: `insert into change_replays as stored (company_id, key_hash, request_hash, answer, expires_at)
           values ($1, $2, $3, '', clock_timestamp() + interval '${hoursReplayable} hours')
           on conflict (company_id, key_hash) do update
              set (request_hash, answer, expires_at) = (
                    select case when is_over then excluded.request_hash else stored.request_hash end,
                           case when is_over then excluded.answer else stored.answer end,
                           case when is_over then excluded.expires_at else stored.expires_at end
                      from (select stored.expires_at <= clock_timestamp() as is_over) judged)
           returning request_hash, answer`,
    values: [keyHash, requestHash],
  })
  const row = claimed.rows[0]
  if (!row) throw new Error('an insert returned nothing')
  return replayOf(row)
}

/** Must be called in the transaction that has claimed the key. */
export async function keepAnswer(tenant: Tenant<Owner>, keyHash: Buffer, answer: Buffer): Promise<void> {
  await tenant.query({
    text: 'update change_replays set answer = $3 where company_id = $1 and key_hash = $2',
    values: [keyHash, answer],
  })
}
