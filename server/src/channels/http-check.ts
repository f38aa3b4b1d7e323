/** Whether a provider with an HTTP API can be reached: calls its base URL without credentials, and takes any answer. */
import type { HttpClient } from '../platform/http-client.ts'
import type { ProviderError } from './channel.ts'
import { failureOutcome } from './http-outcome.ts'
import { errorOf } from './provider-error.ts'

export async function checkReachable(
  http: HttpClient,
  url: string,
  signal: AbortSignal,
): Promise<ProviderError | null> {
  const result = await http.send({ method: 'GET', url, headers: {}, body: null }, signal)
  return result.kind === 'response' ? null : errorOf(failureOutcome(result))
}
