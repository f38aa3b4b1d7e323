/** Checks the owners whose turn it is, and sends notices of what has begun and what is over. */
import type { Clock } from '../../platform/clock.ts'
import type { Database } from '../../platform/database.ts'
import type { Keyring } from '../../platform/keyring.ts'
import { describeError, type Log, type Warn } from '../../platform/log.ts'
import type { AttentionDependencies } from '../insight/index.ts'
import { channelsContext, openSecrets, openSettings } from './alert.ts'
import { findFindings } from './find.ts'
import { type Address, noticeOf, textOf } from './notice.ts'
import { addNotices, claimNotices, type DueNotice, finishNotice } from './notice-store.ts'
import { type Notified, type NotifyDependencies, notify } from './notify.ts'
import { changeStates } from './state-store.ts'
import * as store from './store.ts'

export interface AlertDependencies extends AttentionDependencies, NotifyDependencies {
  readonly database: Database
  readonly clock: Clock
  readonly keyring: () => Keyring
  readonly log: Log
  readonly warn: Warn
}

const everySeconds = 30
const mostOwners = 20
/** A state that no check has found for this long is over, so that one which comes and goes is reported once. */
const clearSeconds = 120
const mostNotices = 20
const leaseSeconds = 60
/** The pauses after the first, second … failed attempt; then the notice is given up. */
const pausesSeconds = [10, 60, 300, 1_800] as const

/** Returns whether there may be more to do at once. */
export async function watchAlerts(dependencies: AlertDependencies): Promise<boolean> {
  const { database, warn } = dependencies
  const turns = await store.takeTurns(database, { everySeconds, most: mostOwners })
  for (const stored of turns) {
    // If the checks of one owner fail, the others are still told.
    await lookAt(dependencies, stored).catch((error: unknown) =>
      warn('alerts could not be looked for', error, { owner: stored.ownerId }),
    )
  }
  const due = await claimNotices(database, { leaseSeconds, most: mostNotices })
  await Promise.all(due.map((notice) => deliverNotice(dependencies, notice)))
  return turns.length === mostOwners || due.length === mostNotices
}

async function lookAt(dependencies: AlertDependencies, stored: store.StoredSettings): Promise<void> {
  const { database } = dependencies
  const { ownerId } = stored
  const settings = openSettings(dependencies.keyring(), stored)
  const findings = await findFindings(dependencies, ownerId, settings)
  await database.transaction(async (transaction) => {
    const tenant = transaction.of(ownerId)
    // The checks took a while, in which the channels may have been removed.
    if (!(await store.holdChannels(tenant))) return
    const { begun, over } = await changeStates(tenant, findings, clearSeconds)
    const notice = { dependencies, ownerId, rules: settings.rules }
    const notices = settings.channels.flatMap((channel) => [
      ...begun.map((alert) => noticeOf(notice, channel, alert, 'alert.started')),
      ...over.map((alert) => noticeOf(notice, channel, alert, 'alert.recovered')),
    ])
    await addNotices(tenant, notices)
  })
}

async function deliverNotice(dependencies: AlertDependencies, due: DueNotice): Promise<void> {
  const { database, log } = dependencies
  const { ownerId, noticeId, attempt } = due
  const { isNotified, isChannelGone, detail, kind } = await sendNotice(dependencies, due)
  const afterSeconds = isNotified || isChannelGone ? null : (pausesSeconds[attempt - 1] ?? null)
  if (!isNotified && !isChannelGone && afterSeconds === null)
    log('warn', 'an alert could not be told', { owner: ownerId, channel: kind, reason: detail })
  await finishNotice(database.of(ownerId), noticeId, { isSent: isNotified, afterSeconds })
}

interface Ended extends Notified {
  /** The channel was removed meanwhile: there is nobody to tell any more. */
  readonly isChannelGone: boolean
  readonly kind: string | null
}

/** Never rejects: a notice that cannot be decrypted is given up after as many attempts as one that nobody takes. */
async function sendNotice(dependencies: AlertDependencies, due: DueNotice): Promise<Ended> {
  const { ownerId, body } = due
  const keyring = dependencies.keyring()
  const openChannels = (sealed: Buffer) => JSON.parse(keyring.open(sealed, channelsContext(ownerId)))
  try {
    const channel: Address = openChannels(due.channel)
    const { kind } = channel
    const channels: readonly Address[] = due.channels === null ? [] : openChannels(due.channels)
    if (!channels.some((one) => textOf(one) === textOf(channel)))
      return { isNotified: false, isChannelGone: true, kind, detail: 'The channel was removed.' }
    const secrets = openSecrets(keyring, ownerId, due)
    return {
      ...(await notify(dependencies, ownerId, channel, { body, secrets })),
      isChannelGone: false,
      kind,
    }
  } catch (error) {
    const detail = `It cannot be opened (${describeError(error).error}).`
    return { isNotified: false, isChannelGone: false, kind: null, detail }
  }
}
