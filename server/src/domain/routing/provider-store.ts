import type { ChannelName } from '@countersign/contract'
import type { Queryable } from '../../platform/database.ts'
import { type Owner, operatorOwner, type Tenant } from '../../platform/tenant.ts'
import type { Costs } from './providers.ts'

export interface StoredProvider {
  readonly ownerId: Owner
  readonly providerId: string
  readonly channel: ChannelName
  readonly kind: string
  readonly name: string | null
  readonly settings: Readonly<Record<string, unknown>>
  readonly secrets: Buffer
  readonly countries: readonly string[] | null
  readonly priority: number
  readonly isEnabled: boolean
  readonly costs: Costs | null
  readonly revision: number
  readonly createdAt: Date
}

interface ProviderRow {
  company_id: Owner
  provider_id: string
  channel: ChannelName
  kind: string
  name: string | null
  settings: Record<string, unknown>
  secrets: Buffer
  countries: string[] | null
  priority: number
  enabled: boolean
  costs: Costs | null
  revision: number
  created_at: Date
}

const providerOf = (row: ProviderRow): StoredProvider => ({
  ownerId: row.company_id,
  providerId: row.provider_id,
  channel: row.channel,
  kind: row.kind,
  name: row.name,
  settings: row.settings,
  secrets: row.secrets,
  countries: row.countries,
  priority: row.priority,
  isEnabled: row.enabled,
  costs: row.costs,
  revision: row.revision,
  createdAt: row.created_at,
})

/**
 * The most accounts over all companies, each of which has its own bound. The operator's come first, so that none of
 * them is left out.
 */
const maxProviders = 20_000
const operatorsFirst = `(company_id = '${operatorOwner}') desc, company_id, provider_id limit ${maxProviders}`

/** Lists accounts of every company, since a node keeps every account open. Those that are switched on come first. */
export async function listEveryProvider(queryable: Queryable): Promise<StoredProvider[]> {
  const found = await queryable.query<ProviderRow>({
    text: `select * from providers /* every company: a node keeps every account open */
            order by enabled desc, ${operatorsFirst}`,
  })
  return found.rows.map(providerOf)
}

export const listEnabledProviders = async (queryable: Queryable): Promise<StoredProvider[]> =>
  (await listEveryProvider(queryable)).filter(({ isEnabled }) => isEnabled)

/** Where the next page begins: after this account. */
export type ProviderCursor = Pick<StoredProvider, 'ownerId' | 'providerId'>

export interface ProviderFilter {
  /** Null for accounts of both. */
  readonly owners: 'operator' | 'companies' | null
  readonly channel: ChannelName | null
}

/** Accounts of all companies, for the operator. */
export async function listAllProviders(
  queryable: Queryable,
  { owners, channel }: ProviderFilter,
  after: ProviderCursor | null,
  limit: number,
): Promise<StoredProvider[]> {
  const found = await queryable.query<ProviderRow>({
    text: `select * from providers /* every company: the operator's list */
            where ($1::text is null or (company_id = '${operatorOwner}') = ($1 = 'operator'))
              and ($2::text is null or channel = $2)
              and ($3::text is null or (company_id <> '${operatorOwner}', company_id, provider_id) > ($3 <> '${operatorOwner}', $3, $4))
            order by company_id <> '${operatorOwner}', company_id, provider_id limit $5`,
    values: [owners, channel, after?.ownerId ?? null, after?.providerId ?? null, limit],
  })
  return found.rows.map(providerOf)
}

export async function listProvidersOf(
  tenant: Tenant<Owner>,
  channel: ChannelName | null,
  after: ProviderCursor | null,
  limit: number,
): Promise<StoredProvider[]> {
  const found = await tenant.query<ProviderRow>({
    text: `select * from providers
            where company_id = $1 and ($2::text is null or channel = $2) and ($3::text is null or provider_id > $3)
            order by provider_id limit $4`,
    values: [channel, after?.providerId ?? null, limit],
  })
  return found.rows.map(providerOf)
}

export async function findProvider(
  tenant: Tenant<Owner>,
  providerId: string,
): Promise<StoredProvider | undefined> {
  const found = await tenant.query<ProviderRow>({
    text: 'select * from providers where company_id = $1 and provider_id = $2',
    values: [providerId],
  })
  return found.rows[0] && providerOf(found.rows[0])
}

export type WrittenProvider = Omit<StoredProvider, 'revision' | 'createdAt'>

const valuesOf = (provider: WrittenProvider) => [
  provider.providerId,
  provider.name,
  provider.settings,
  provider.secrets,
  provider.countries,
  provider.priority,
  provider.isEnabled,
  provider.costs,
]

/** Undefined if the owner has `most` already. The caller has locked the revision, so that counts do not race. */
export async function insertProvider(
  tenant: Tenant<Owner>,
  provider: WrittenProvider,
  most: number,
): Promise<StoredProvider | undefined> {
  const inserted = await tenant.query<ProviderRow>({
    text: `insert into providers (company_id, provider_id, name, settings, secrets, countries, priority, enabled, costs, channel, kind)
           select $1, $2, $3, $4, $5, $6::text[], $7, $8, $9::jsonb, $10, $11
            where (select count(*) from providers where company_id = $1) < $12
           returning *`,
    values: [...valuesOf(provider), provider.channel, provider.kind, most],
  })
  return inserted.rows[0] && providerOf(inserted.rows[0])
}

/** Undefined if somebody else changed or removed the account since `revision` was read. */
export async function updateProvider(
  tenant: Tenant<Owner>,
  provider: WrittenProvider,
  revision: number,
): Promise<StoredProvider | undefined> {
  const updated = await tenant.query<ProviderRow>({
    text: `update providers
              set name = $3, settings = $4, secrets = $5, countries = $6, priority = $7, enabled = $8, costs = $9,
                  revision = revision + 1
            where company_id = $1 and provider_id = $2 and revision = $10 returning *`,
    values: [...valuesOf(provider), revision],
  })
  return updated.rows[0] && providerOf(updated.rows[0])
}

export async function deleteProvider(tenant: Tenant<Owner>, providerId: string): Promise<void> {
  await tenant.query({
    text: 'delete from providers where company_id = $1 and provider_id = $2',
    values: [providerId],
  })
}

export async function deleteProvidersOf(tenant: Tenant<Owner>): Promise<void> {
  await tenant.query({ text: 'delete from providers where company_id = $1' })
}
