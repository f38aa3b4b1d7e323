/** What an approval leaves for the guard: a note, since the statement that approves does not lock the company. */
import type { Source } from '../../../../platform/source.ts'
import { trustMs } from '../levels.ts'

const dayMs = 86_400_000
/** How long a note waits for the next batch of its app: as long as the recipient counts as known. */
const keptDays = trustMs / dayMs
/** No batch takes the notes of an app whose guard is off, so they would pile up. */
const keptDaysWhileOff = 7

const isOff = `(a.settings -> 'pumping' ->> 'mode' = 'off')`

/**
 * A clause of the statement that approves. It notes recipients that the guard knows, each looked up by its key, and
 * those that it shall know from now on: numbers that were verified on a channel that it does not watch. The settings of
 * an app may be long, so they are read once for each app, and for the latter.
 * The approvals of one app share a note, named by the first of them: a row for each would double what an approval
 * costs.
 */
export const approvalNote = ({
  name,
}: Source<'company_id' | 'app_id' | 'otp_id' | 'recipient_hash' | 'country'>) => `
        insert into pumping_approvals (company_id, app_id, otp_id, recipient_hashes, approved_at, expires_at)
        select note.company_id, note.app_id, note.otp_id, note.recipient_hashes, clock_timestamp(),
               clock_timestamp() + case when is_off then interval '${keptDaysWhileOff} days' else interval '${keptDays} days' end
          from (select hit.company_id, hit.app_id, min(hit.otp_id) as otp_id,
                       array_agg(hit.recipient_hash order by hit.otp_id) as recipient_hashes
                  from ${name} hit
                 cross join lateral (
                       (select 1 from pumping_acquaintances p
                         where p.company_id = hit.company_id and p.app_id = hit.app_id and p.recipient_hash = hit.recipient_hash limit 1)
                       union all
                       (select 1 from apps a
                         where hit.country is not null and a.company_id = hit.company_id and a.app_id = hit.app_id
                           and ${isOff} is not true limit 1)
                       limit 1) known
                 group by hit.company_id, hit.app_id) note
         cross join lateral (select ${isOff} as is_off from apps a
                              where a.company_id = note.company_id and a.app_id = note.app_id limit 1) app
        on conflict (company_id, app_id, otp_id) do nothing`
