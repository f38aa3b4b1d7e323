/** Creating and changing apps: settings are validated whole, and a refusal names the path. */
import {
  AppError,
  type AppSettings,
  appName as appNameSchema,
  changedSettings,
  plainMessage,
} from '@countersign/contract'
import type { Clock } from '../../platform/clock.ts'
import type { Database } from '../../platform/database.ts'
import { type CompanyId, newId } from '../../platform/ids.ts'
import { raiseRevision } from '../../platform/remember.ts'
import { appsOfCompany, limitReached } from './bounds.ts'
import { validationError } from './field-problems.ts'
import { languageProblems } from './language-problems.ts'
import * as store from './store.ts'
import type { App, AppRef } from './tenancy.ts'

interface Dependencies {
  readonly database: Database
  readonly clock: Clock
}

type Requested = Readonly<Record<string, unknown>>

/** Two people may change one app at once: whoever comes second is merged into what the first left. */
const maxRounds = 5

export async function createApp(
  { database, clock }: Dependencies,
  companyId: CompanyId,
  { name, ...requested }: Requested,
): Promise<App> {
  if (!(await store.findCompany(database.of(companyId)))) throw noSuchCompany()
  const appName = parseName(name)
  const app = {
    appId: newId('app', clock.nowMs()),
    name: appName,
    settings: parseSettings(appName, {}, requested),
  }
  const created = await database.transaction(async (transaction) => {
    const tenant = transaction.of(companyId)
    if (!(await store.lockCompany(tenant))) throw noSuchCompany()
    return store.insertApp(tenant, app, appsOfCompany.most)
  })
  if (!created) throw limitReached(appsOfCompany)
  return created
}

const noSuchCompany = () => new AppError('NotFoundError', 'There is no such company.')

export async function listApps(
  { database }: Pick<Dependencies, 'database'>,
  companyId: CompanyId,
  { cursor, limit }: { readonly cursor: string | null; readonly limit: number },
): Promise<{ apps: Pick<App, 'appId' | 'name' | 'createdAt'>[]; nextCursor: string | null }> {
  const tenant = database.of(companyId)
  if (!(await store.findCompany(tenant))) throw noSuchCompany()
  const found = await store.listApps(tenant, { after: cursor, limit: limit + 1 })
  const apps = found.slice(0, limit)
  return { apps, nextCursor: found.length > limit ? (apps.at(-1)?.appId ?? null) : null }
}

export async function getApp(
  { database }: Pick<Dependencies, 'database'>,
  { companyId, appId }: AppRef,
): Promise<App> {
  const app = await store.findApp(database.of(companyId), appId)
  if (!app) throw new AppError('NotFoundError', 'There is no such app.')
  return app
}

export async function changeApp(
  { database }: Dependencies,
  { companyId, appId }: AppRef,
  { name, ...requested }: Requested,
): Promise<App> {
  for (let round = 0; round < maxRounds; round++) {
    const current = await store.findApp(database.of(companyId), appId)
    if (!current) throw new AppError('NotFoundError', 'There is no such app.')
    const appName = name === undefined ? current.name : parseName(name)
    const settings = parseSettings(appName, current.settings, requested)
    const next = {
      appId,
      name: appName,
      settings,
      revision: current.revision,
    }
    const updated = await database.transaction(async (transaction) => {
      const app = await store.updateApp(transaction.of(companyId), next)
      if (app) await raiseRevision(transaction)
      return app
    })
    if (updated) return updated
  }
  throw new AppError('ConflictError', 'This app is being changed by others. Try again.')
}

function parseName(name: unknown): string {
  const parsed = appNameSchema.safeParse(name)
  if (parsed.success) return parsed.data
  const problems = parsed.error.issues.map((issue) => ({ path: 'name', message: plainMessage(issue) }))
  throw validationError(problems)
}

function parseSettings(
  name: string,
  current: AppSettings | Record<string, never>,
  requested: Requested,
): AppSettings {
  const { settings, problems } = changedSettings(current, requested)
  if (!settings) throw validationError(problems)
  const all = [...problems, ...languageProblems(name, settings)]
  if (all.length > 0) throw validationError(all)
  return settings
}
