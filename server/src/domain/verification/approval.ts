/**
 * Clauses for what follows an approval, by a code or by a message: the event, the send given back to the limit of its
 * address, and, while the guard's tables can be used, its notes. They are part of the statement that decides, and cover
 * all verifications that it approved.
 */
import { sourceOf } from '../../platform/source.ts'
import { approvedSpend } from '../billing/index.ts'
import { approvalNote, ipLimitKey } from '../guard/index.ts'
import { insertEvents } from '../webhooks/index.ts'

/** The columns that the deciding statement has of each verification that it approved. */
export const approvedColumns = [
  'company_id',
  'app_id',
  'otp_id',
  'recipient_hash',
  'ip_key',
  'country',
  'created_at',
  'spend_at',
  'spend_micros',
  'event_id',
] as const
/** These columns, with the body of the event. */
export const approved = sourceOf('approved', [...approvedColumns, 'event_body'])
type Approved = typeof approved

/** `before` names a clause that must lock its limits first, so that limits are always locked in one order. */
interface Follow {
  readonly isGuarded: boolean
  readonly before?: string
}

export const followApproval = (approved: Approved, { isGuarded, before }: Follow) => `
      approved_event as (${insertEvents(approved, { type: 'otp.approved', body: 'event_body' })}
      ), ${giveBackSends(approved, before)}
      ${isGuarded ? `, noted as (${approvalNote(approved)}), spent as (${approvedSpend(approved)})` : ''}`

const hit = sourceOf('hit', ['app_id', 'ip_key'])

/**
 * Gives approved sends back to the limits of their addresses, so that an office behind one address is not locked out.
 * Several approvals may come from one address, whose row is written once. Rows are locked in the order of their keys,
 * each found by its key: a plan made while the table was small must not read a large one whole.
 */
const giveBackSends = ({ name }: Approved, before: string | undefined) => `
      counted as materialized (
        select l.company_id, l.limit_key, l.state, l.expires_at, given.times
          from (select company_id, ${ipLimitKey(hit)} as limit_key,
                       array_agg((extract(epoch from created_at) * 1000)::bigint) as times
                  from ${name} hit ${before ? `cross join (select count(*) from ${before}) earlier` : ''}
                 where ip_key is not null
                 group by 1, 2 order by 1, 2) given
         cross join lateral (select * from limits stored
                              where stored.company_id = given.company_id and stored.limit_key = given.limit_key
                                and stored.state && given.times limit 1 for update) l
      ), given_back as (
        insert into limits as stored (company_id, limit_key, state, expires_at)
        select company_id, limit_key, ${stateWithoutTimes}, expires_at from counted
        on conflict (company_id, limit_key) do update set state = excluded.state
      )`

/** Removes each time as often as it was given back; the others keep their order. */
const stateWithoutTimes = `
               case when cardinality(times) = 1
                    then state[:array_position(state, times[1]) - 1] || state[array_position(state, times[1]) + 1:]
                    else array(select at from (select at, place, row_number() over (partition by at order by place) as nth
                                                 from unnest(state) with ordinality one (at, place)) kept
                                where nth > (select count(*) from unnest(times) gone where gone = kept.at) order by place) end`
