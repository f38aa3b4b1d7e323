/** The apps of companies, with what decides whether a block holds back any of their messages. */
import { type AppSettings, appSettings } from '@countersign/contract'
import { type Queryable, timeNow } from '../../platform/database.ts'
import type { AppId, CompanyId } from '../../platform/ids.ts'
import { fitRow } from '../guard/index.ts'

export interface ConcernedApp {
  readonly companyName: string
  readonly appId: AppId
  readonly appName: string
  readonly pumping: AppSettings['pumping']
  readonly fit: string | null
  readonly nowMs: number
}

export async function readAppsOf(
  queryable: Queryable,
  companyIds: readonly CompanyId[],
): Promise<Map<CompanyId, ConcernedApp[]>> {
  const found = await queryable.query<{
    company_id: CompanyId
    company_name: string
    app_id: AppId
    app_name: string
    settings: unknown
    fit: string | null
    now_ms: bigint
  }>({
    text: `select a.company_id, c.name as company_name, a.app_id, a.name as app_name, a.settings, f.state as fit,
                  (extract(epoch from ${timeNow}) * 1000)::bigint as now_ms
             from companies c join apps a using (company_id) /* every company: what operators see of all */
             left join pumping_states f on f.company_id = a.company_id and f.app_id = a.app_id and f.row_key = '${fitRow}'
            where c.company_id = any($1) and c.closed_at is null and a.deleted_at is null
            order by a.app_id`,
    values: [companyIds],
  })
  const apps = new Map(companyIds.map((companyId): [CompanyId, ConcernedApp[]] => [companyId, []]))
  for (const row of found.rows) {
    apps.get(row.company_id)?.push({
      companyName: row.company_name,
      appId: row.app_id,
      appName: row.app_name,
      pumping: appSettings.parse(row.settings).pumping,
      fit: row.fit,
      nowMs: Number(row.now_ms),
    })
  }
  return apps
}
