/** What somebody should look at now. */
import { type AppRef, getApp } from '../../tenancy/index.ts'
import { listEndpoints } from '../../webhooks/index.ts'
import { count } from '../words.ts'
import {
  type AttentionDependencies,
  type Check,
  criticalFirst,
  type Item,
  iso,
  usualThresholds,
} from './attention.ts'
import { checkAccounts } from './check-accounts.ts'
import { checkConversion } from './check-conversion.ts'
import { checkBlocks, checkFit, checkGuesses, checkIpSources } from './check-guard.ts'
import { checkMessages } from './check-messages.ts'
import { checkBalance, checkSpendCaps } from './check-money.ts'

const checkEndpoints: Check = async ({ database }, app) => {
  const endpoints = await listEndpoints({ database }, app)
  return endpoints.flatMap(({ endpointId, status, reason, held, url, pausedAt }) => {
    if (status !== 'paused') return []
    const which = endpoints.length > 1 ? ` ${new URL(url).host}` : ''
    const why = reason ? `: ${reason}` : ''
    const waiting = `${count(held, 'event')} ${held === 1 ? 'is' : 'are'} waiting for it to be enabled.`
    const message = `The webhook endpoint${which} is paused${why}. ${waiting}`
    return [
      { kind: 'webhook_paused', severity: 'critical', message, since: iso(pausedAt), subject: endpointId },
    ]
  })
}

/** To watch something new, add a check here. */
const checks: readonly Check[] = [
  checkEndpoints,
  checkBalance,
  checkSpendCaps,
  checkMessages,
  checkAccounts,
  checkConversion,
  checkGuesses,
  checkBlocks,
  checkFit,
  checkIpSources,
]

export async function findAttention(
  dependencies: AttentionDependencies,
  { companyId, appId }: AppRef,
  thresholds = usualThresholds,
): Promise<Item[]> {
  const app = await getApp(dependencies, { companyId, appId })
  return criticalFirst(
    (await Promise.all(checks.map((check) => check(dependencies, app, thresholds)))).flat(),
  )
}
