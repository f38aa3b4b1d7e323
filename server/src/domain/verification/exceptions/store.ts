import type { ExceptionKind } from '@countersign/contract'
import type { Tenant } from '../../../platform/database.ts'
import type { PersonId } from '../../../platform/ids.ts'
import { allowedHours, type Exception, type KnownRecipient } from './exception.ts'

interface ExceptionRow {
  exception_id: string
  kind: ExceptionKind
  masked_recipient: string
  person_id: PersonId | null
  created_at: Date
  expires_at: Date | null
}

const columns = 'exception_id, kind, masked_recipient, person_id, created_at, expires_at'
const isLive = '(expires_at is null or expires_at > clock_timestamp())'

const exceptionOf = (row: ExceptionRow): Exception => ({
  exceptionId: row.exception_id,
  kind: row.kind,
  maskedRecipient: row.masked_recipient,
  personId: row.person_id,
  createdAt: row.created_at,
  expiresAt: row.expires_at,
})

export interface NewException extends KnownRecipient {
  readonly exceptionId: string
  readonly kind: ExceptionKind
  readonly personId: PersonId | null
}

/** Replaces the exception that the recipient had. Returns undefined if the company has `most` others. */
export async function putException(
  tenant: Tenant,
  exception: NewException,
  most: number,
): Promise<Exception | undefined> {
  const put = await tenant.query<ExceptionRow>({
    text: `insert into exceptions as stored (company_id, recipient_hash, exception_id, kind, masked_recipient, person_id, created_at, expires_at)
           select $1, $2, $3, $4, $5, $6, now.at, case when $4 = 'allowed' then now.at + interval '${allowedHours} hours' end
             from (select clock_timestamp() as at offset 0) now
            where (select count(*) from exceptions where company_id = $1 and recipient_hash <> $2) < $7
           on conflict (company_id, recipient_hash) do update
              set exception_id = excluded.exception_id, kind = excluded.kind, person_id = excluded.person_id,
                  created_at = excluded.created_at, expires_at = excluded.expires_at
           returning ${columns}`,
    values: [
      exception.recipientHash,
      exception.exceptionId,
      exception.kind,
      exception.maskedRecipient,
      exception.personId,
      most,
    ],
  })
  return put.rows[0] && exceptionOf(put.rows[0])
}

export async function findException(tenant: Tenant, recipientHash: Buffer): Promise<Exception | null> {
  const found = await tenant.query<ExceptionRow>({
    text: `select ${columns} from exceptions where company_id = $1 and recipient_hash = $2 and ${isLive}`,
    values: [recipientHash],
  })
  return found.rows[0] ? exceptionOf(found.rows[0]) : null
}

/** Newest first. */
export async function listExceptions(tenant: Tenant, before: string, limit: number): Promise<Exception[]> {
  const found = await tenant.query<ExceptionRow>({
    text: `select ${columns} from exceptions
            where company_id = $1 and exception_id < $2 and ${isLive} order by exception_id desc limit $3`,
    values: [before, limit],
  })
  return found.rows.map(exceptionOf)
}

export async function deleteException(tenant: Tenant, exceptionId: string): Promise<boolean> {
  const gone = await tenant.query({
    text: 'delete from exceptions where company_id = $1 and exception_id = $2',
    values: [exceptionId],
  })
  return gone.rowCount === 1
}
