import type { OutgoingMessage } from '../../channels/channel.ts'
import type { HttpRequest } from '../../platform/http-client.ts'
import type { Owner } from '../../platform/tenant.ts'
import { validationError } from '../answers/index.ts'
import { getProvider, kindOf, type ManageProvidersDependencies, openSecrets } from './stored-provider.ts'

/** What an account would send for this message. Nothing is sent, and credentials are masked. */
export async function dryRunProvider(
  dependencies: ManageProvidersDependencies,
  ownerId: Owner,
  providerId: string,
  message: OutgoingMessage,
): Promise<HttpRequest> {
  const row = await getProvider(dependencies, ownerId, providerId)
  const kind = kindOf(dependencies, row.kind)
  const settings = kind.settings.safeParse({ ...row.settings, ...openSecrets(dependencies, row) })
  if (!kind.dryRun) throw validationError([{ path: 'provider_id', message: 'is not of the kind http' }])
  if (!settings.success)
    throw validationError([{ path: 'provider_id', message: 'needs its credentials to be given again' }])
  const request = kind.dryRun(settings.data, message)
  if (!request) throw validationError([{ path: 'text', message: 'does not fit its place in the address' }])
  return request
}
