/** Two nodes without workers, and the figures that one of them returns. Each test decides what is gathered when. */
import assert from 'node:assert/strict'
import type { Tenant } from './harness/fixtures.ts'
import { makePastDays } from './harness/seed.ts'
import { startTwoNodeService } from './harness/service.ts'

export const minuteMs = 60_000
export const hourMs = 3_600_000
export const dayMs = 86_400_000
export const hourOf = (timeMs: number) => Math.floor(timeMs / hourMs) * hourMs
export const iso = (timeMs: number) => new Date(timeMs).toISOString()

interface Row {
  readonly key: string
  readonly sends: number
  readonly messages: number
  readonly delivered: number
  readonly failed: number
  readonly approvals: number
  readonly conversion: number | null
  readonly cost: string
  readonly seconds_to_approve: { p50: number; p95: number } | null
}
interface Stats {
  readonly from: string
  readonly to: string
  readonly by: string
  readonly total: Omit<Row, 'key'>
  readonly rows: Row[]
}

export async function startFigures() {
  const { database, nodes, close } = await startTwoNodeService({ role: 'api' })
  await makePastDays(database, 9)
  const [node] = nodes

  const ask = ({ appId }: Tenant, query: Record<string, string> = {}) =>
    node.manage('GET', `/apps/${appId}/stats?${new URLSearchParams(query)}`)
  async function stats(tenant: Tenant, query: Record<string, string> = {}): Promise<Stats> {
    const answer = await ask(tenant, query)
    assert.equal(answer.status, 200, JSON.stringify(answer.body))
    return answer.body
  }
  async function ways(
    { appId }: Tenant,
    query: Record<string, string>,
  ): Promise<Omit<Stats, 'total'> & { readonly total?: undefined }> {
    const answer = await node.manage('GET', `/apps/${appId}/stats/ways?${new URLSearchParams(query)}`)
    assert.equal(answer.status, 200, JSON.stringify(answer.body))
    return answer.body
  }
  const markAt = (timeMs: number) =>
    database.query('update figures_progress set gathered_to = $1', [new Date(timeMs)])
  return { database, nodes, close, ask, stats, ways, markAt }
}
