/** Reads, sets and tests who is told of alerts. */
import { AppError, type alertsAnswer, type putAlertsBody } from '@countersign/contract'
import type { z } from 'zod'
import type { SafeDoor } from '../../platform/safe-post.ts'
import { type Owner, operatorOwner } from '../../platform/tenant.ts'
import { noSuch, validationError } from '../answers/index.ts'
import { lockCompany } from '../tenancy/index.ts'
import { makeSecret } from '../webhooks/index.ts'
import {
  type Alert,
  type AlertSettings,
  channelsContext,
  completeRules,
  openSecrets,
  openSettings,
  secretContext,
} from './alert.ts'
import { bodyOf } from './notice.ts'
import { type Notified, notify } from './notify.ts'
import { forgetStates, listAlerts } from './state-store.ts'
import * as store from './store.ts'
import type { AlertDependencies } from './watch.ts'

export interface ManageAlertsDependencies extends Omit<AlertDependencies, 'log'> {
  readonly door: Pick<SafeDoor, 'findProblem'>
}

export interface AlertsView extends AlertSettings {
  readonly alerts: readonly Alert[]
}

const tests = { most: 10, windowSeconds: 600 }

export async function getAlerts(dependencies: ManageAlertsDependencies, ownerId: Owner): Promise<AlertsView> {
  const tenant = dependencies.database.of(ownerId)
  const stored = await store.findSettings(tenant)
  const settings = stored
    ? openSettings(dependencies.keyring(), stored)
    : { channels: [], rules: completeRules({}) }
  return { ...settings, alerts: await listAlerts(tenant) }
}

/** `secret` is set if this call has made one: with the first webhook. */
export async function putAlerts(
  dependencies: ManageAlertsDependencies,
  ownerId: Owner,
  { channels, rules }: z.output<typeof putAlertsBody>,
): Promise<AlertsView & { readonly secret: string | null }> {
  await assertReachable(dependencies, channels)
  const keyring = dependencies.keyring()
  const key = keyring.current(dependencies.clock.nowMs())
  const secret = channels.some(({ kind }) => kind === 'webhook') ? makeSecret() : null
  const settings = {
    channels: keyring.seal(key, JSON.stringify(channels), channelsContext(ownerId)),
    rules,
    secret: secret === null ? null : keyring.seal(key, secret, secretContext(ownerId)),
    hasChannels: channels.length > 0,
  }
  const isTaken = await dependencies.database.transaction(async (transaction) => {
    // The company may have been closed meanwhile.
    if (ownerId !== operatorOwner && !(await lockCompany(transaction.of(ownerId)))) throw noSuch('company')
    const tenant = transaction.of(ownerId)
    const isPut = await store.putSettings(tenant, settings)
    // Afterwards: putting the settings waits for a look under way, whose states are then seen.
    if (!settings.hasChannels) await forgetStates(tenant)
    return isPut
  })
  return { ...(await getAlerts(dependencies, ownerId)), secret: isTaken ? secret : null }
}

/** Addresses of hooks must pass the same door as webhooks. */
async function assertReachable(
  { door }: ManageAlertsDependencies,
  channels: AlertSettings['channels'],
): Promise<void> {
  const problems = await Promise.all(
    channels.map(async ({ kind, to }, index) => {
      const problem = kind === 'email' ? null : await door.findProblem(to)
      return problem ? [{ path: `channels.${index}.to`, message: `cannot be used: ${problem}` }] : []
    }),
  )
  if (problems.flat().length > 0) throw validationError(problems.flat())
}

export async function rotateAlertSecret(
  { database, keyring: readKeyring, clock }: Pick<ManageAlertsDependencies, 'database' | 'keyring' | 'clock'>,
  ownerId: Owner,
): Promise<string> {
  const secret = makeSecret()
  const keyring = readKeyring()
  const sealed = keyring.seal(keyring.current(clock.nowMs()), secret, secretContext(ownerId))
  if (!(await store.rotateSecret(database.of(ownerId), sealed)))
    throw new AppError('NotFoundError', 'There is no signing secret yet: it is made with the first webhook.')
  return secret
}

export interface TestResult extends Notified {
  readonly kind: z.infer<typeof alertsAnswer>['channels'][number]['kind']
}

/** Sends a test to every channel at once, whatever the hour. */
export async function testAlerts(
  dependencies: ManageAlertsDependencies,
  ownerId: Owner,
): Promise<TestResult[]> {
  const { database, clock } = dependencies
  const keyring = dependencies.keyring()
  const tenant = database.of(ownerId)
  const stored = await store.findSettings(tenant)
  if (!stored) return []
  if (!(await store.takeTest(tenant, tests))) {
    const message = `Alerts can be tested ${tests.most} times in ${tests.windowSeconds / 60} minutes.`
    throw new AppError('RateLimitExceededError', message, {
      scope: 'alerts',
      retry_after: tests.windowSeconds,
    })
  }
  const nowMs = clock.nowMs()
  const example = { rule: 'test', subject: 'test', severity: 'warning', since: new Date(nowMs) } as const
  const message = 'This is a test. Alerts of Countersign arrive here.'
  const notice = bodyOf(ownerId, { ...example, message }, 'alert.test', nowMs)
  const sent = { body: JSON.stringify(notice), secrets: openSecrets(keyring, ownerId, stored) }
  return Promise.all(
    openSettings(keyring, stored).channels.map(async (channel) => ({
      kind: channel.kind,
      ...(await notify(dependencies, ownerId, channel, sent)),
    })),
  )
}
