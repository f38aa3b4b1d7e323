/** What an approval leaves for the guard: a note, since the statement that approves does not lock the company. */
import type { Source } from '../../../../platform/source.ts'

/** How long a note waits for the next batch: an app that does not send for longer has no debts left. */
const approvalKept = "interval '7 days'"

/**
 * A clause of the statement that approves. It notes recipients that the guard knows, each looked up by its key, and
 * those that it shall know from now on: numbers that were verified on a channel that it does not watch. The settings of
 * an app may be long, so they are read only for the latter.
 * The approvals of one app share a note, named by the first of them: a row for each would double what an approval
 * costs.
 */
export const approvalNote = ({
  name,
}: Source<'company_id' | 'app_id' | 'otp_id' | 'recipient_hash' | 'country'>) => `
        insert into pumping_approvals (company_id, app_id, otp_id, recipient_hashes, approved_at, expires_at)
        select hit.company_id, hit.app_id, min(hit.otp_id), array_agg(hit.recipient_hash order by hit.otp_id),
               clock_timestamp(), clock_timestamp() + ${approvalKept}
          from ${name} hit
         cross join lateral (
               (select 1 from pumping_acquaintances p
                 where p.company_id = hit.company_id and p.app_id = hit.app_id and p.recipient_hash = hit.recipient_hash limit 1)
               union all
               (select 1 from apps a
                 where hit.country is not null and a.company_id = hit.company_id and a.app_id = hit.app_id
                   and a.settings -> 'pumping' ->> 'mode' is distinct from 'off' limit 1)
               limit 1) known
         group by hit.company_id, hit.app_id
        on conflict (company_id, app_id, otp_id) do nothing`
