import type { ProviderAnswer, Role } from '@countersign/contract'
import type { OutgoingMessage } from '../../channels/channel.ts'
import { noSuch } from '../../domain/answers/index.ts'
import {
  changeProvider,
  checkAccount,
  dryRunProvider,
  type ListedProvider,
  listAccounts,
  type ManageProvidersDependencies,
  prepareProvider,
  removeProvider,
  type TryDependencies,
  testAccount,
} from '../../domain/routing/index.ts'
import { parseId } from '../../platform/ids.ts'
import { operatorOwner } from '../../platform/tenant.ts'
import { callbackPath } from '../callbacks.ts'
import { type Route, route } from '../route.ts'
import { pageOf } from './page.ts'

export interface ProviderRoutesDependencies
  extends ManageProvidersDependencies,
    Pick<TryDependencies, 'health'> {
  readonly providers: TryDependencies['registry']
  readonly publicUrl: string
  /** Reloads the providers of this node, so that it sees its own changes before the next poll. */
  readonly reload: () => Promise<void>
}

export function providerRoutes(dependencies: ProviderRoutesDependencies): Route[] {
  const trying: TryDependencies = {
    ...dependencies,
    registry: dependencies.providers,
    callbackUrl: (providerId) => `${dependencies.publicUrl}${callbackPath(providerId)}`,
  }
  const present = (row: ListedProvider) => providerAnswer(row, dependencies.publicUrl)
  return [
    route('listProviders', async ({ scope, role, query }) => {
      const { rows, nextCursor } = await listAccounts(dependencies, {
        companyId: scope?.companyId ?? null,
        owners: query.owner ?? null,
        channel: query.channel ?? null,
        ...pageOf(query),
      })
      return { providers: rows.map((row) => present(shownTo(role, row))), next_cursor: nextCursor }
    }),
    route('createProvider', async ({ scope, body: { company_id: _, ...body } }, _actor, once) => {
      const ownerId = scope?.companyId ?? operatorOwner
      const created = await once(
        async (database, make) => present(await make(database)),
        () => prepareProvider(dependencies, ownerId, body),
      )
      await dependencies.reload()
      return created
    }),
    route('updateProvider', async ({ scope, params, body }) => {
      const changed = await changeProvider(dependencies, scope.ownerId, providerIdOf(params), body)
      await dependencies.reload()
      return present(changed)
    }),
    route('deleteProvider', async ({ scope, params }) => {
      const providerId = providerIdOf(params)
      await removeProvider(dependencies, scope.ownerId, providerId)
      await dependencies.reload()
      return { provider_id: providerId }
    }),
    route('checkProvider', async ({ scope, params }) => {
      const { steps } = await checkAccount(trying, scope.ownerId, providerIdOf(params))
      return { steps: [...steps] }
    }),
    route('testProvider', async ({ scope, params, body }) => {
      const written = { to: body.to, country: body.country ?? null }
      const { steps, messageId } = await testAccount(trying, scope.ownerId, providerIdOf(params), written)
      return { steps: [...steps], message_id: messageId }
    }),
    route('dryRunProvider', async ({ scope, params, body }) => {
      const providerId = providerIdOf(params)
      const callbackUrl = `${dependencies.publicUrl}${callbackPath(providerId)}`
      const message = exampleMessage(body, callbackUrl, dependencies.clock.nowMs())
      const {
        method,
        url,
        headers,
        body: sent,
      } = await dryRunProvider(dependencies, scope.ownerId, providerId, message)
      return { method, url, headers: { ...headers }, body: sent === null ? null : String(sent) }
    }),
  ]
}

const providerAnswer = (
  { ownerId, isEnabled, credentialsSet, createdAt, state, callback, ...provider }: ListedProvider,
  publicUrl: string,
): ProviderAnswer => ({
  provider_id: provider.providerId,
  company_id: ownerId === operatorOwner ? null : ownerId,
  channel: provider.channel,
  kind: provider.kind as ProviderAnswer['kind'],
  name: provider.name,
  settings: { ...provider.settings },
  credentials_set: [...credentialsSet],
  destination: {
    settings: [...provider.destination.settings],
    credentials: [...provider.destination.credentials],
  },
  countries: provider.countries && [...provider.countries],
  priority: provider.priority,
  costs: provider.costs && { default: provider.costs.default, countries: { ...provider.costs.countries } },
  state: {
    status: state.status,
    since: state.since?.toISOString() ?? null,
    last_error: state.lastError && { ...state.lastError, at: state.lastError.at.toISOString() },
    sent_1h: state.hour.sent,
    failed_1h: state.hour.failed,
    delivered_1h: state.hour.delivered,
    seconds_to_accept: secondsOf(state.hour.acceptMs),
    seconds_to_deliver: secondsOf(state.hour.deliverMs),
  },
  enabled: isEnabled,
  callback_url: callback && `${publicUrl}${callbackPath(provider.providerId, callback.token)}`,
  created_at: createdAt.toISOString(),
})

/** Anybody who knows the token of a callback address can report deliveries, which a viewer may not do. */
const shownTo = (role: Role | null, row: ListedProvider): ListedProvider =>
  role === 'viewer' && row.callback?.token ? { ...row, callback: null } : row

const secondsOf = (ms: number | null) => (ms === null ? null : Math.round(ms) / 1_000)
const exampleTtlSeconds = 600

/** A message as a send would make it; values that the caller did not give are made up. */
const exampleMessage = (
  { to, text }: { readonly to: string; readonly text: string },
  callbackUrl: string,
  nowMs: number,
): OutgoingMessage => ({
  deliveryId: `dlv_${'0'.repeat(26)}`,
  recipient: to,
  code: /\d{4,8}/.exec(text)?.[0] ?? '123456',
  text,
  subject: '',
  html: '',
  locale: 'en',
  ttlSeconds: exampleTtlSeconds,
  nowMs,
  inReplyTo: null,
  callbackUrl,
})

function providerIdOf(params: Readonly<Record<string, string>>): string {
  const providerId = parseId('provider', params.provider_id ?? '')
  if (!providerId) throw noSuch('provider')
  return providerId
}
