/** Every block in force, of all companies, and whether it holds anything back or is only watched. */
import { type AppSettings, appSettings } from '@countersign/contract'
import { type Queryable, timeNow } from '../../platform/database.ts'
import type { AppId, CompanyId } from '../../platform/ids.ts'
import { type Block, fitRow, holdsBack, listBlocksOfAll } from '../guard/index.ts'
import { isTrial } from '../routing/index.ts'
import type { AttentionDependencies } from './attention/attention.ts'

export interface BlockOfAll extends Block {
  readonly companyId: CompanyId
  readonly companyName: string
  /** For a place that the apps of a company share, the first of them. */
  readonly appId: AppId
  readonly appName: string
  readonly isShared: boolean
  /** It holds back messages of at least one app; otherwise all apps only watch it. */
  readonly isClosed: boolean
}

export async function listAllBlocks(
  dependencies: Pick<AttentionDependencies, 'database' | 'keyring' | 'providers'>,
): Promise<BlockOfAll[]> {
  const { database, providers } = dependencies
  const blocks = await listBlocksOfAll(dependencies)
  if (blocks.length === 0) return []
  const apps = await readAppsOf(database, [...new Set(blocks.map(({ companyId }) => companyId))])
  return blocks.flatMap(({ scope, ...block }) => {
    const ofCompany = apps.get(block.companyId) ?? []
    const concerned = scope === '' ? ofCompany : ofCompany.filter(({ appId }) => appId === scope)
    const [first] = concerned
    // All apps that it concerns were deleted.
    if (!first) return []
    const isClosed = concerned.some(
      ({ pumping, fit, nowMs }) =>
        !(pumping.mode === 'auto' && isTrial(providers, block.companyId)) &&
        holdsBack(block, pumping, fit, nowMs),
    )
    const { companyName, appId, appName } = first
    return [{ ...block, companyName, appId, appName, isShared: scope === '', isClosed }]
  })
}

interface ConcernedApp extends Pick<BlockOfAll, 'companyName' | 'appId' | 'appName'> {
  readonly pumping: AppSettings['pumping']
  readonly fit: string | null
  readonly nowMs: number
}

async function readAppsOf(
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
