import { type AppAnswer, AppError } from '@countersign/contract'
import { formatMicros, priceOf } from '../../domain/billing/index.ts'
import { autofillOf, lintTemplate } from '../../domain/messages/index.ts'
import {
  type App,
  changeApp,
  createApp,
  createKey,
  getApp,
  listKeys,
  revokeKey,
} from '../../domain/tenancy/index.ts'
import { type AppId, parseId } from '../../platform/ids.ts'
import { type Route, rawBodyRoute, route } from '../route.ts'
import { type CompanyDependencies, companyIdOf } from './companies.ts'

export function appRoutes(
  dependencies: Pick<CompanyDependencies, 'database' | 'clock' | 'prices' | 'forget'>,
): Route[] {
  return [
    rawBodyRoute('createApp', async ({ params, body }) =>
      appAnswer(await createApp(dependencies, companyIdOf(params), body)),
    ),
    route('getApp', async ({ params }) => appAnswer(await getApp(dependencies, appIdOf(params)))),
    rawBodyRoute('updateApp', async ({ params, body }) => {
      const app = await changeApp(dependencies, appIdOf(params), body)
      dependencies.forget()
      return appAnswer(app)
    }),
    route('createKey', async ({ params, body }) => {
      const name = body.name ?? null
      const { keyId, text } = await createKey(dependencies, appIdOf(params), { kind: body.kind, name })
      return { key_id: keyId, kind: body.kind, name, key: text }
    }),
    route('lintMessage', async ({ params, body: { channel, locale, template } }) => {
      const { name: appName, settings } = await getApp(dependencies, appIdOf(params))
      const common = {
        locale,
        appName,
        codeLength: settings.code_length,
        autofill: autofillOf(settings.autofill),
      }
      const result =
        channel === 'email'
          ? lintTemplate({ ...common, channel, template: { ...template, subject: template.subject ?? '' } })
          : lintTemplate({ ...common, channel, template })
      const price = formatMicros(priceOf(await dependencies.prices(), channel, null))
      return { ...result, problems: [...result.problems], price }
    }),
    route('listKeys', async ({ params }) => {
      const keys = await listKeys(dependencies, appIdOf(params))
      return {
        keys: keys.map((key) => ({
          key_id: key.keyId,
          kind: key.kind,
          name: key.name,
          created_at: key.createdAt.toISOString(),
          revoked_at: key.revokedAt?.toISOString() ?? null,
        })),
      }
    }),
    route('revokeKey', async ({ params }) => {
      const keyId = parseId('key', params.key_id ?? '')
      if (!keyId) throw new AppError('NotFoundError', 'There is no such key.')
      const { revokedAt } = await revokeKey(dependencies, keyId)
      dependencies.forget()
      return { key_id: keyId, revoked_at: (revokedAt ?? new Date()).toISOString() }
    }),
  ]
}

export function appIdOf(params: Readonly<Record<string, string>>): AppId {
  const appId = parseId('app', params.app_id ?? '')
  if (!appId) throw new AppError('NotFoundError', 'There is no such app.')
  return appId
}

const appAnswer = (app: App): AppAnswer => ({
  app_id: app.appId,
  company_id: app.companyId,
  name: app.name,
  created_at: app.createdAt.toISOString(),
  ...app.settings,
})
