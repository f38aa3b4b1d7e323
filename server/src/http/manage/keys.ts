/** The keys of an app. */
import { noSuch } from '../../domain/answers/index.ts'
import { createKey, listKeys, revokeKey } from '../../domain/tenancy/index.ts'
import { parseId } from '../../platform/ids.ts'
import { type Route, route } from '../route.ts'
import type { CompanyDependencies } from './companies.ts'
import { pageOf } from './page.ts'

export function keyRoutes(dependencies: Pick<CompanyDependencies, 'database' | 'clock' | 'forget'>): Route[] {
  return [
    route('createKey', ({ scope, body }, _actor, once) => {
      const wanted = { kind: body.kind, name: body.name ?? null }
      return once(async (database) => {
        const { keyId, text } = await createKey({ ...dependencies, database }, scope.app, wanted)
        return { key_id: keyId, ...wanted, key: text }
      })
    }),
    route('listKeys', async ({ scope, query }) => {
      const isLive = query.state === undefined ? null : query.state === 'live'
      const { rows, nextCursor } = await listKeys(dependencies, scope.app, { ...pageOf(query), isLive })
      return {
        keys: rows.map((key) => ({
          key_id: key.keyId,
          kind: key.kind,
          name: key.name,
          created_at: key.createdAt.toISOString(),
          starts_with: key.shown.first,
          ends_with: key.shown.last,
          last_used_at: key.lastUsedAt?.toISOString() ?? null,
          calls_24h: key.calls,
          errors_24h: key.errors,
          revoked_at: key.revokedAt?.toISOString() ?? null,
        })),
        next_cursor: nextCursor,
      }
    }),
    route('revokeKey', async ({ scope, params }) => {
      const keyId = parseId('key', params.key_id ?? '')
      if (!keyId) throw noSuch('key')
      const revokedAt = await revokeKey(dependencies, scope.app, keyId)
      dependencies.forget()
      return { key_id: keyId, revoked_at: revokedAt.toISOString() }
    }),
  ]
}
