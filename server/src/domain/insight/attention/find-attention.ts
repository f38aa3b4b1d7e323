/** What somebody should look at now. */
import { type AppRef, getApp } from '../../tenancy/index.ts'
import { findEndpoint } from '../../webhooks/index.ts'
import { count } from '../words.ts'
import { type AttentionDependencies, type Check, type Item, iso } from './attention.ts'
import { checkBlocks, checkFit, checkGuesses, checkIpSources } from './check-guard.ts'
import { checkMessages } from './check-messages.ts'
import { checkBalance, checkSpendCaps } from './check-money.ts'

const checkEndpoint: Check = async ({ database }, { companyId, appId }) => {
  const endpoint = await findEndpoint(database.of(companyId), appId)
  if (endpoint?.status !== 'paused') return []
  const why = endpoint.reason ? `: ${endpoint.reason}` : ''
  const held = `${count(endpoint.held, 'event')} ${endpoint.held === 1 ? 'waits' : 'wait'} for it to be enabled.`
  const message = `The webhook endpoint is paused${why}. ${held}`
  return [{ kind: 'webhook_paused', severity: 'critical', message, since: iso(endpoint.pausedAt) }]
}

/** A new thing to watch is one more check here. */
const checks: readonly Check[] = [
  checkEndpoint,
  checkBalance,
  checkSpendCaps,
  checkMessages,
  checkGuesses,
  checkBlocks,
  checkFit,
  checkIpSources,
]

/** The critical ones first. */
export async function findAttention(
  dependencies: AttentionDependencies,
  { companyId, appId }: AppRef,
): Promise<Item[]> {
  const app = await getApp(dependencies, { companyId, appId })
  const items = (await Promise.all(checks.map((check) => check(dependencies, app)))).flat()
  return items.sort(
    (left, right) => Number(right.severity === 'critical') - Number(left.severity === 'critical'),
  )
}
