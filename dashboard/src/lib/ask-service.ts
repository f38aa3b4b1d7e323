import { ApiError, readRefusal } from './api-error.ts'

/** More than any call of the service takes. A browser by itself would wait for minutes. */
const patienceMs = 45_000

export const unreached = () =>
  new ApiError(0, 'ConnectionError', 'The service could not be reached. Check your connection and try again.')

const unanswered = (isRead: boolean) =>
  new ApiError(
    0,
    'TimeoutError',
    `The service has not answered in time. ${
      isRead ? 'Try again.' : 'It may be done all the same. Look before you try again.'
    }`,
  )

/** Makes a call and reads its answer. An answer that breaks off, or never comes, is no answer. */
export async function askService<Answer>(address: string, init: RequestInit): Promise<Answer> {
  const { signal } = init
  const limit = new AbortController()
  const stop = () => limit.abort()
  const timer = setTimeout(stop, patienceMs)
  signal?.addEventListener('abort', stop)
  try {
    const answer = await fetch(address, { ...init, signal: limit.signal })
    if (!answer.ok) throw await readRefusal(answer)
    return await answer.json()
  } catch (error) {
    if (error instanceof ApiError || signal?.aborted) throw error
    throw limit.signal.aborted ? unanswered(init.method === 'GET') : unreached()
  } finally {
    clearTimeout(timer)
    signal?.removeEventListener('abort', stop)
  }
}
