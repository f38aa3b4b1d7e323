/** What an approval leaves for the guard: a clause of the statement that approves, which holds no lock of the company. */
import type { Source } from '../../../platform/source.ts'

/** Approvals wait here for the next batch; longer than any app stays without a send and still has debts. */
const approvalKept = "interval '7 days'"

/**
 * A clause of the statement that approves: only for people whom the guard knows, each looked up by the key. Those of one
 * app share a note, which has the name of the first: written and taken away, a row for each would cost as much as all else.
 */
export const approvalNote = ({ name }: Source<'company_id' | 'app_id' | 'otp_id' | 'recipient_hash'>) => `
        insert into pumping_approvals (company_id, app_id, otp_id, recipient_hashes, approved_at, expires_at)
        select hit.company_id, hit.app_id, min(hit.otp_id), array_agg(hit.recipient_hash order by hit.otp_id),
               clock_timestamp(), clock_timestamp() + ${approvalKept}
          from ${name} hit
         cross join lateral (select 1 from pumping_acquaintances p
                              where p.company_id = hit.company_id and p.app_id = hit.app_id and p.recipient_hash = hit.recipient_hash
                              limit 1) known
         group by hit.company_id, hit.app_id
        on conflict (company_id, app_id, otp_id) do nothing`
