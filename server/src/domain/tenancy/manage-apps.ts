/** Creates and changes apps: settings are validated as a whole, and a refusal names the path. */
import {
  AppError,
  type AppSettings,
  appName as appNameSchema,
  changedSettings,
  parseFields,
} from '@countersign/contract'
import type { Clock } from '../../platform/clock.ts'
import type { Database } from '../../platform/database.ts'
import { type CompanyId, newId, parseId } from '../../platform/ids.ts'
import { raiseRevision } from '../../platform/remember.ts'
import {
  noSuch,
  type Page,
  type PageRequest,
  parseCursor,
  readPage,
  validationError,
} from '../answers/index.ts'
import * as appStore from './app-store.ts'
import { appsOfCompany, limitReached } from './bounds.ts'
import * as companyStore from './company-store.ts'
import { languageProblems } from './language-problems.ts'
import { assertNotOwn } from './own-company.ts'
import type { App, AppRef } from './tenancy.ts'

interface Dependencies {
  readonly database: Database
  readonly clock: Clock
}

type Requested = Readonly<Record<string, unknown>>

/** The most tries: two people may change one app at once, and the second change is merged into the first. */
const maxRounds = 5

export async function createApp(
  { database, clock }: Dependencies,
  companyId: CompanyId,
  { name, ...requested }: Requested,
): Promise<App> {
  if (!(await companyStore.findCompany(database.of(companyId)))) throw noSuch('company')
  const appName = parseName(name)
  const app = {
    appId: newId('app', clock.nowMs()),
    name: appName,
    settings: parseSettings(appName, {}, requested),
  }
  const created = await database.transaction(async (transaction) => {
    const tenant = transaction.of(companyId)
    if (!(await companyStore.lockCompany(tenant))) throw noSuch('company')
    return appStore.insertApp(tenant, app, appsOfCompany.most)
  })
  if (!created) throw limitReached(appsOfCompany)
  return created
}

export async function listApps(
  { database }: Pick<Dependencies, 'database'>,
  companyId: CompanyId,
  { cursor, limit }: PageRequest,
): Promise<Page<appStore.ListedApp>> {
  const tenant = database.of(companyId)
  if (!(await companyStore.findCompany(tenant))) throw noSuch('company')
  const after = parseCursor(cursor, (text) => parseId('app', text))
  return readPage(
    limit,
    (limit) => appStore.listApps(tenant, { after, limit }),
    ({ appId }) => appId,
  )
}

export async function getApp(
  { database }: Pick<Dependencies, 'database'>,
  { companyId, appId }: AppRef,
): Promise<App> {
  const app = await appStore.findApp(database.of(companyId), appId)
  if (!app) throw noSuch('app')
  return app
}

export async function changeApp(
  { database }: Dependencies,
  { companyId, appId }: AppRef,
  { name, ...requested }: Requested,
): Promise<App> {
  for (let round = 0; round < maxRounds; round++) {
    const current = await appStore.findApp(database.of(companyId), appId)
    if (!current) throw noSuch('app')
    const appName = name === undefined ? current.name : parseName(name)
    const settings = parseSettings(appName, current.settings, requested)
    const next = {
      appId,
      name: appName,
      settings,
      revision: current.revision,
    }
    const updated = await database.transaction(async (transaction) => {
      const app = await appStore.updateApp(transaction.of(companyId), next)
      if (app) await raiseRevision(transaction)
      return app
    })
    if (updated) return updated
  }
  throw new AppError('ConflictError', 'This app is being changed by others. Try again.')
}

/** Takes effect on every node within a second. Pending verifications go on: they can be resent and verified. */
export async function pauseApp(dependencies: Pick<Dependencies, 'database'>, app: AppRef): Promise<App> {
  assertNotOwn(app.companyId)
  return setPaused(dependencies, app, true)
}

export const resumeApp = (dependencies: Pick<Dependencies, 'database'>, app: AppRef): Promise<App> =>
  setPaused(dependencies, app, false)

async function setPaused(
  { database }: Pick<Dependencies, 'database'>,
  { companyId, appId }: AppRef,
  isPaused: boolean,
): Promise<App> {
  return database.transaction(async (transaction) => {
    const app = await appStore.pauseApp(transaction.of(companyId), appId, isPaused)
    if (!app) throw noSuch('app')
    await raiseRevision(transaction)
    return app
  })
}

/**
 * From then on it is as if the app had never existed: its keys are refused, and nothing of it is found. Sends under way
 * may still be accepted for a moment, so upkeep erases its data a while later.
 */
export async function deleteApp(
  { database }: Pick<Dependencies, 'database'>,
  { companyId, appId }: AppRef,
): Promise<void> {
  assertNotOwn(companyId)
  await database.transaction(async (transaction) => {
    if (!(await appStore.markDeleted(transaction.of(companyId), appId))) throw noSuch('app')
    await raiseRevision(transaction)
  })
}

function parseName(name: unknown): string {
  const { data, problems } = parseFields(appNameSchema, name)
  if (problems) throw validationError(problems.map(({ message }) => ({ path: 'name', message })))
  return data
}

function parseSettings(
  name: string,
  current: AppSettings | Readonly<Record<string, never>>,
  requested: Requested,
): AppSettings {
  const { settings, problems } = changedSettings(current, requested)
  if (!settings) throw validationError(problems)
  const all = [...problems, ...languageProblems(name, settings)]
  if (all.length > 0) throw validationError(all)
  return settings
}
