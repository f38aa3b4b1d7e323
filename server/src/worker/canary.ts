/** Sends canaries at intervals, each through its account, on one of the nodes. The result is written for all nodes. */
import type { CanaryPlan } from '../config/environment.ts'
import type { Directory } from '../domain/tenancy/index.ts'
import {
  type CanaryDependencies,
  claimCanary,
  listCanaries,
  recordCanary,
  runCanary,
} from '../domain/verification/index.ts'
import { parseId } from '../platform/ids.ts'
import type { Log, Warn } from '../platform/log.ts'
import { type Loop, startLoop } from '../platform/loop.ts'
import type { Metrics } from '../platform/metrics.ts'

/** How often a node checks whether a canary is due, and reports the last results. */
const everyMs = 5_000

export interface CanaryWatchDependencies extends CanaryDependencies {
  readonly directory: Pick<Directory, 'findApp'>
  readonly metrics: CanaryDependencies['metrics'] & Pick<Metrics, 'setCanaries'>
  readonly log: Log
  readonly warn: Warn
}

export interface CanaryWatch {
  readonly plans: readonly CanaryPlan[]
  readonly everySeconds: number
}

export function startCanaries(
  dependencies: CanaryWatchDependencies,
  { plans, everySeconds }: CanaryWatch,
): Loop {
  const { database, metrics, warn } = dependencies
  const tell = (error: unknown) => warn('a canary could not be sent', error)
  const runIfDue = async (plan: CanaryPlan) => {
    try {
      const begunAt = await claimCanary(database, plan.account, everySeconds)
      if (begunAt !== null) await release(dependencies, plan, begunAt)
    } catch (error) {
      tell(error)
    }
  }
  return startLoop({
    pollMs: everyMs,
    round: async () => {
      // In parallel: each may wait for more than a minute, and a silent account must not delay the others.
      await Promise.all(plans.map(runIfDue))
      const known = await listCanaries(database)
      metrics.setCanaries(
        known.map(({ failedStep, endedAt, ...canary }) => ({
          ...canary,
          isOk: failedStep === null,
          atMs: endedAt.getTime(),
        })),
      )
    },
    onError: tell,
  })
}

async function release(
  dependencies: CanaryWatchDependencies,
  { appId: text, account, recipient }: CanaryPlan,
  begunAt: string,
): Promise<void> {
  const { directory, providers, database, log } = dependencies
  const appId = parseId('app', text)
  const app = appId ? await directory.findApp(appId) : undefined
  const provider = providers.find(account)
  if (!app || !provider) {
    const detail = app ? 'There is no enabled account with this id.' : 'There is no such app.'
    const step = { name: 'send', ok: false, detail, ms: 0 } as const
    const report = { isOk: false, failedStep: 'send', otpId: null, steps: [step] } as const
    await recordCanary(database, account, begunAt, report)
    log('error', 'a canary did not come back', { account, step: 'send', reason: detail })
    return
  }
  const report = await runCanary(dependencies, { app, account: provider, recipient })
  await recordCanary(database, account, begunAt, report)
  const failed = report.steps.find(({ ok }) => !ok)
  if (failed)
    log('error', 'a canary did not come back', { account, step: failed.name, reason: failed.detail })
}
