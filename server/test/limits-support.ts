/** Two nodes that know one network as a VPN's, and what they have counted. */
import assert from 'node:assert/strict'
import { Capture } from './harness/capture.ts'
import type { TestDatabase } from './harness/database.ts'
import { writeIpSources } from './harness/ip-sources.ts'
import type { Answer } from './harness/node.ts'
import { startTwoNodeService, type TwoNodeService } from './harness/service.ts'
import { closeAll } from './harness/two-nodes.ts'

const vpnNetwork = '185.220.101.0/24'
export const vpnIp = '185.220.101.7'
export const officeIp = '81.2.69.142'

export async function startLimitedService(): Promise<TwoNodeService & { readonly capture: Capture }> {
  const capture = new Capture()
  const sources = await writeIpSources([{ class: 'vpn', text: `${vpnNetwork} # a provider of tunnels\n` }])
  const service = await startTwoNodeService({ capture, ipSourcesFile: sources.file })
  return { ...service, capture, close: () => closeAll([service, sources]) }
}

export function assertScope(answer: Answer, scope: string): void {
  assert.equal(answer.status, 429, JSON.stringify(answer.body))
  assert.equal(answer.body.error.type, 'RateLimitExceededError')
  assert.equal(answer.body.error.details.scope, scope)
  assert.match(answer.body.error.message, new RegExp(`\\b${scope}\\b`))
  const seconds = Number(answer.headers.get('retry-after'))
  assert.ok(Number.isInteger(seconds) && seconds >= 1, `Retry-After ${seconds}`)
  assert.equal(answer.body.error.details.retry_after, seconds)
}

export const countedOf = (database: TestDatabase, companyId: string) =>
  database.query<{ key: string; state: string[] }>(
    `select encode(limit_key, 'escape') as key, state from limits where company_id = $1 order by limit_key`,
    [companyId],
  )

/** As if everything counted for the company had happened this much earlier. */
export const ageCounts = (database: TestDatabase, companyId: string, seconds: number) =>
  database.query(
    // A rate also has the interval of a call, which is shorter than any time.
    `update limits set state = (select array_agg(case when time > 100000000000000 then time - $2::bigint * 1000000
                                                      when time > 100000000000 then time - $2::bigint * 1000
                                                      else time end order by place)
                                  from unnest(state) with ordinality listed (time, place))
      where company_id = $1`,
    [companyId, seconds],
  )
