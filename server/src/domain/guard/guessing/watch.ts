import type { Database } from '../../../platform/database.ts'
import { type AppRef, getApp } from '../../tenancy/index.ts'
import type { Guesses } from './guesses.ts'
import { type GuessCount, type Watched, watchGuesses } from './guessing.ts'
import * as store from './store.ts'

/**
 * Writes this node's guesses and raises the alarms that those of all nodes call for. Returns the newly alarmed apps.
 */
export async function watchOver(database: Database, guesses: Guesses): Promise<string[]> {
  const counts = guesses.take()
  if (counts.length === 0) return []
  try {
    await store.addGuesses(database, counts)
  } catch (error) {
    guesses.putBack(counts)
    throw error
  }
  const failing = counts.filter((count) => count.failures > 0)
  const raised: string[] = []
  for (const { companyId, appId } of failing.length > 0 ? await store.findSuspects(database, failing) : []) {
    const tenant = database.of(companyId)
    const { recent, before } = await store.readGuesses(tenant, appId)
    if (watchGuesses(recent, before).isAlarming && (await store.raiseAlarm(tenant, appId))) raised.push(appId)
  }
  return raised
}

export interface GuessingView extends Watched {
  readonly recent: GuessCount
  readonly alarm: store.Alarm | null
}

export async function lookUpGuessing(
  { database }: { readonly database: Database },
  app: AppRef,
): Promise<GuessingView> {
  const { companyId, appId } = await getApp({ database }, app)
  const tenant = database.of(companyId)
  const { recent, before } = await store.readGuesses(tenant, appId)
  return { ...watchGuesses(recent, before), recent, alarm: (await store.findAlarm(tenant, appId)) ?? null }
}
