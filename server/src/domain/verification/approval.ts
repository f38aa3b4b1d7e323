/**
 * What follows an approval, by a code or by a message: its event, the address's send given back, and, while the guard's
 * tables can be used, its notes. Parts of the statement that decides, which has named what it approved `approved`.
 */
import { sourceOf } from '../../platform/source.ts'
import { approvedSpend } from '../billing/index.ts'
import { approvalNote } from '../guard/index.ts'
import { initialStatus } from '../webhooks/index.ts'

const approved = sourceOf('approved', ['company_id', 'app_id'])

/** Where the statement has what it is to write: `$9`. */
interface Places {
  readonly eventId: string
  readonly eventBody: string
  readonly ipLabel: string
}

export const followApproval = ({ eventId, eventBody, ipLabel }: Places, isGuarded: boolean) => `
      approved_event as (
        insert into events (company_id, app_id, event_id, type, otp_id, body, status)
        select $1, app_id, ${eventId}, 'otp.approved', otp_id, ${eventBody}, ${initialStatus(approved)} from approved
      ), given_back as (${giveBackSend(ipLabel)})
      ${isGuarded ? `, noted as (${approvalNote('approved')}), spent as (${approvedSpend('approved')})` : ''}`

/** So that an office behind one address is not locked out. */
const giveBackSend = (label: string) => `
        update limits l
           set state = l.state[:array_position(l.state, hit.at) - 1] || l.state[array_position(l.state, hit.at) + 1:]
          from (select company_id, convert_to(${label} || ':' || ip_key, 'UTF8') as limit_key,
                       (extract(epoch from created_at) * 1000)::bigint as at
                  from approved) hit
         where l.company_id = hit.company_id and l.limit_key = hit.limit_key and hit.at = any(l.state)`
