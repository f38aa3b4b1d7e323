/**
 * A batch is of one company and begins with its row. If somebody else has the row for longer than a moment, the batch
 * gives way and comes again, so that no connection and no other company waits for it.
 */
import pg from 'pg'
import type { CompanyId } from '../../../platform/ids.ts'

const momentMs = 300

/**
 * One round trip, as a plain `begin` is; statements after it wait for locks as long as ever. The key stays free (`no
 * key`): each entry of the ledger refers to it, and a message that was handed over need not wait for those that are
 * being decided.
 */
export const beginBatch = (companyId: CompanyId) => `
  begin;
  set local lock_timeout = ${momentMs};
  select from companies where company_id = ${pg.escapeLiteral(companyId)} for no key update;
  set local lock_timeout to default`
