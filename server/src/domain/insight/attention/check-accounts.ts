/** The company's own provider accounts that have no connection, or whose attempts err. */
import type { Owner } from '../../../platform/tenant.ts'
import { type Provider, type Providers, readStates, refOf } from '../../routing/index.ts'
import { readNamesOfAll } from '../account-name-store.ts'
import type { AttentionDependencies, Check, Item } from './attention.ts'

const minuteMs = 60_000

export const checkAccounts: Check = async (dependencies, { companyId }, { failingMinutes }) =>
  findFailing(dependencies, companyId, failingMinutes, ({ companyId: owner }) => owner === companyId)

/** With `ownerId` null, finds accounts of all owners. */
export async function findFailing(
  {
    database,
    clock,
    providers,
  }: Pick<AttentionDependencies, 'database' | 'clock'> & { readonly providers: Pick<Providers, 'all'> },
  ownerId: Owner | null,
  failingMinutes: number,
  isWanted: (provider: Provider) => boolean,
): Promise<Item[]> {
  const accounts = providers.all().filter((provider) => isWanted(provider) && provider.revision !== undefined)
  if (accounts.length === 0) return []
  const stateOf = await readStates(database, ownerId)
  const failing = accounts.flatMap(({ kind, ...provider }) => {
    const ref = refOf({ kind, ...provider })
    if (!ref) return []
    const { status, since, lastError } = stateOf(ref)
    if (status !== 'failing' || !since) return []
    if (clock.nowMs() - since.getTime() < failingMinutes * minuteMs) return []
    return [{ subject: provider.providerId, kind, since, lastError }]
  })
  if (failing.length === 0) return []
  const names = await readNamesOfAll(
    database,
    failing.map(({ subject }) => subject),
  )
  return failing.map(({ subject, kind, since, lastError }): Item => {
    const why = lastError ? ` ${lastError.message} (${lastError.code})` : ''
    const message = `The account ${names.get(subject) ?? subject} (${kind}) is failing.${why}`
    return { kind: 'failing_provider', severity: 'critical', message, since: since.toISOString(), subject }
  })
}
