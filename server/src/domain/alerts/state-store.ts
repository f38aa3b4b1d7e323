/** The alerts that are on now. Their owner is a company, or 'operator'. */
import type { AlertRuleName } from '@countersign/contract'
import { bulkOf } from '../../platform/bulk.ts'
import type { Owner, Tenant } from '../../platform/tenant.ts'
import type { Alert, Finding } from './alert.ts'

interface AlertRow {
  rule: AlertRuleName
  subject: string
  severity: Alert['severity']
  message: string
  since: Date
}

export async function listAlerts(tenant: Tenant<Owner>): Promise<Alert[]> {
  const found = await tenant.query<AlertRow>({
    text: `select rule, subject, severity, message, since from alert_states where company_id = $1
            order by since desc, rule, subject limit 1000`,
  })
  return found.rows
}

const findings = bulkOf<Finding>(
  {
    rule: ['text', (row) => row.rule],
    subject: ['text', (row) => row.subject],
    severity: ['text', (row) => row.severity],
    message: ['text', (row) => row.message],
  },
  2,
)

/**
 * Returns which states have begun and which are over. If two nodes find a state at once, only one of them is told. A
 * state that was last seen by a clock that has been put right since is over too, if it is not found any more.
 */
export async function changeStates(
  tenant: Tenant<Owner>,
  found: readonly Finding[],
  clearSeconds: number,
): Promise<{ begun: Alert[]; over: Alert[] }> {
  const changed = await tenant.query<AlertRow & { is_begun: boolean }>({
    text: `
      with row as (select ${findings.names} from ${findings.source}),
      seen as (
        insert into alert_states as s (company_id, rule, subject, severity, message)
        select $1, rule, subject, severity, message from row order by rule, subject
        on conflict (company_id, rule, subject) do update
           set seen_at = clock_timestamp(), severity = excluded.severity, message = excluded.message
        returning s.*, xmax = 0 as is_begun
      ), over as (
        delete from alert_states s
         where s.company_id = $1
           and abs(extract(epoch from clock_timestamp() - s.seen_at)) > $${findings.next}
           and not exists (select 1 from row where row.rule = s.rule and row.subject = s.subject)
        returning s.*
      )
      select rule, subject, severity, message, since, true as is_begun from seen where is_begun
       union all
      select rule, subject, severity, message, since, false from over`,
    values: [...findings.values(found), clearSeconds],
  })
  const begun = changed.rows.filter(({ is_begun }) => is_begun)
  return { begun, over: changed.rows.filter(({ is_begun }) => !is_begun) }
}

/** If nobody is to be told, the checks do not run, and stored states would be out of date. */
export async function forgetStates(tenant: Tenant<Owner>): Promise<void> {
  await tenant.query({ text: 'delete from alert_states where company_id = $1' })
}
