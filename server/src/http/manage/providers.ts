import type { ProviderAnswer } from '@countersign/contract'
import { noSuch } from '../../domain/answers/index.ts'
import {
  changeProvider,
  createProvider,
  type ListedProvider,
  listAccounts,
  type ManageProvidersDependencies,
  removeProvider,
} from '../../domain/routing/index.ts'
import { parseId } from '../../platform/ids.ts'
import { operatorOwner } from '../../platform/tenant.ts'
import { callbackPath } from '../callbacks.ts'
import { type Route, route } from '../route.ts'

export interface ProviderRoutesDependencies extends ManageProvidersDependencies {
  readonly publicUrl: string
  /** This node need not wait for the poll to know its own changes. */
  readonly reload: () => Promise<void>
}

/** SMPP speaks over its own connection, bounces come by mail. */
const callsBack: ReadonlySet<string> = new Set(['twilio', 'whatsapp', 'telegram'])

export function providerRoutes(dependencies: ProviderRoutesDependencies): Route[] {
  const present = ({
    ownerId,
    isEnabled,
    credentialsSet,
    createdAt,
    ...provider
  }: ListedProvider): ProviderAnswer => ({
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
    enabled: isEnabled,
    callback_url: callsBack.has(provider.kind)
      ? `${dependencies.publicUrl}${callbackPath(provider.providerId)}`
      : null,
    created_at: createdAt.toISOString(),
  })
  return [
    route('listProviders', async ({ scope }) => {
      const providers = await listAccounts(dependencies, scope?.companyId ?? null)
      return { providers: providers.map(present) }
    }),
    route('createProvider', async ({ scope, body: { company_id: _, ...body } }) => {
      const created = await createProvider(dependencies, scope?.companyId ?? operatorOwner, body)
      await dependencies.reload()
      return present(created)
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
  ]
}

function providerIdOf(params: Readonly<Record<string, string>>): string {
  const providerId = parseId('provider', params.provider_id ?? '')
  if (!providerId) throw noSuch('provider')
  return providerId
}
