import type { ChannelName } from '@countersign/contract'
import type { Queryable } from '../../platform/database.ts'
import type { CompanyId } from '../../platform/ids.ts'

/** Owner of what is the operator's own. */
export const operatorOwner = 'operator'

export interface StoredProvider {
  readonly ownerId: CompanyId | typeof operatorOwner
  readonly providerId: string
  readonly channel: ChannelName
  readonly kind: string
  readonly name: string | null
  readonly settings: Readonly<Record<string, unknown>>
  readonly secrets: Buffer
  readonly countries: readonly string[] | null
  readonly priority: number
  readonly isEnabled: boolean
  readonly revision: number
  readonly createdAt: Date
}

interface ProviderRow {
  company_id: CompanyId | typeof operatorOwner
  provider_id: string
  channel: ChannelName
  kind: string
  name: string | null
  settings: Record<string, unknown>
  secrets: Buffer
  countries: string[] | null
  priority: number
  enabled: boolean
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
  revision: row.revision,
  createdAt: row.created_at,
})

const maxProviders = 5_000

/** All of them: a node keeps every account open. */
export async function listProviders(queryable: Queryable): Promise<StoredProvider[]> {
  const found = await queryable.query<ProviderRow>({
    text: `select * from providers order by company_id, provider_id limit ${maxProviders}`,
  })
  return found.rows.map(providerOf)
}

/** By id alone: management names an account without its owner. */
export async function findProvider(
  queryable: Queryable,
  providerId: string,
): Promise<StoredProvider | undefined> {
  const found = await queryable.query<ProviderRow>({
    text: 'select * from providers where provider_id = $1',
    values: [providerId],
  })
  return found.rows[0] && providerOf(found.rows[0])
}

export async function putProvider(
  queryable: Queryable,
  provider: Omit<StoredProvider, 'revision' | 'createdAt'>,
): Promise<StoredProvider> {
  const put = await queryable.query<ProviderRow>({
    text: `insert into providers as p (company_id, provider_id, channel, kind, name, settings, secrets, countries, priority, enabled)
           values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
           on conflict (company_id, provider_id) do update
              set name = excluded.name, settings = excluded.settings, secrets = excluded.secrets,
                  countries = excluded.countries, priority = excluded.priority, enabled = excluded.enabled,
                  revision = p.revision + 1
           returning *`,
    values: [
      provider.ownerId,
      provider.providerId,
      provider.channel,
      provider.kind,
      provider.name,
      provider.settings,
      provider.secrets,
      provider.countries,
      provider.priority,
      provider.isEnabled,
    ],
  })
  const row = put.rows[0]
  if (!row) throw new Error('an upsert returned nothing')
  return providerOf(row)
}

export async function deleteProvider(
  queryable: Queryable,
  ownerId: string,
  providerId: string,
): Promise<void> {
  await queryable.query({
    text: 'delete from providers where company_id = $1 and provider_id = $2',
    values: [ownerId, providerId],
  })
}
