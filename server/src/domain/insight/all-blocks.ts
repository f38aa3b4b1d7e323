/** Every block in force, of all companies, and whether it holds anything back or is only watched. */
import type { AppId, CompanyId } from '../../platform/ids.ts'
import { type Block, holdsBack, listBlocksOfAll } from '../guard/index.ts'
import { isTrial } from '../routing/index.ts'
import type { AttentionDependencies } from './attention/attention.ts'
import { readAppsOf } from './blocked-app-store.ts'

export interface BlockOfAll extends Block {
  readonly companyId: CompanyId
  readonly companyName: string
  /** For a place that the apps of a company share, the first of these apps. */
  readonly appId: AppId
  readonly appName: string
  readonly isShared: boolean
  /** The block holds back messages of at least one app; otherwise all apps only watch it. */
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
    // All apps that the block concerns were deleted.
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
