import type { AccountChoice, AppAnswer } from '@countersign/contract'
import { formatMicros, priceOf } from '../../domain/billing/index.ts'
import { autofillOf, tryMessage } from '../../domain/messages/index.ts'
import {
  type App,
  changeApp,
  createApp,
  deleteApp,
  getApp,
  inForce,
  listApps,
  pauseApp,
  resumeApp,
} from '../../domain/tenancy/index.ts'
import { sidOf } from '../../platform/sids.ts'
import { type Route, rawBodyRoute, route } from '../route.ts'
import type { CompanyDependencies } from './companies.ts'
import { pageOf } from './page.ts'

export function appRoutes(
  dependencies: Pick<CompanyDependencies, 'database' | 'clock' | 'prices' | 'forget'> & {
    readonly routingAccounts: AccountChoice
  },
): Route[] {
  const appAnswer = (app: App) => answerOf(app, dependencies.routingAccounts)
  return [
    rawBodyRoute('createApp', ({ scope, body }, once) =>
      once(async (database) =>
        appAnswer(await createApp({ ...dependencies, database }, scope.companyId, body)),
      ),
    ),
    route('listApps', async ({ scope, query }) => {
      const { rows, nextCursor } = await listApps(dependencies, scope.companyId, pageOf(query))
      return {
        apps: rows.map(({ appId, name, createdAt, pausedAt }) => ({
          app_id: appId,
          name,
          created_at: createdAt.toISOString(),
          paused_at: pausedAt?.toISOString() ?? null,
        })),
        next_cursor: nextCursor,
      }
    }),
    route('getApp', async ({ scope }) => appAnswer(await getApp(dependencies, scope.app))),
    rawBodyRoute('updateApp', async ({ scope, body }) => {
      const app = await changeApp(dependencies, scope.app, body)
      dependencies.forget()
      return appAnswer(app)
    }),
    route('pauseApp', async ({ scope }) => {
      const app = await pauseApp(dependencies, scope.app)
      dependencies.forget()
      return appAnswer(app)
    }),
    route('resumeApp', async ({ scope }) => {
      const app = await resumeApp(dependencies, scope.app)
      dependencies.forget()
      return appAnswer(app)
    }),
    route('deleteApp', async ({ scope }) => {
      await deleteApp(dependencies, scope.app)
      dependencies.forget()
      return { app_id: scope.app.appId }
    }),
    route('lintMessage', async ({ scope, body: { channel, locale, template } }) => {
      const { name, settings } = await getApp(dependencies, scope.app)
      const { rendered, problems, ...result } = tryMessage({
        channel,
        locale,
        template: template ? { ...template, subject: template.subject ?? '' } : null,
        appName: name,
        codeLength: settings.code_length,
        codeTtlSeconds: settings.code_ttl_s,
        autofill: autofillOf(settings.autofill),
      })
      const isEmail = channel === 'email'
      return {
        ...result,
        problems: [...problems],
        price: formatMicros(priceOf(await dependencies.prices(), channel, null)),
        rendered: {
          subject: isEmail ? rendered.subject : null,
          text: rendered.text,
          html: isEmail ? rendered.html : null,
        },
      }
    }),
  ]
}

const answerOf = (app: App, routingAccounts: AccountChoice): AppAnswer => ({
  app_id: app.appId,
  company_id: app.companyId,
  name: app.name,
  created_at: app.createdAt.toISOString(),
  twilio_service_sid: sidOf('app', app.appId),
  twilio_account_sid: sidOf('company', app.companyId),
  paused_at: app.pausedAt?.toISOString() ?? null,
  ...inForce(app, routingAccounts).settings,
  accounts_inherited: app.settings.routing.accounts === null,
})
