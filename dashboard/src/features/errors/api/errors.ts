import { keepPreviousData, useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { pagesOf, queryOf } from '#lib/queries.ts'
import type { ErrorsSearch } from '../search.ts'

const refreshMs = 10_000

export const useErrorStats = (appId: string, from: string) =>
  useQuery({
    ...queryOf('getErrorStats', { params: { app_id: appId }, query: { from } }),
    refetchInterval: refreshMs,
    placeholderData: keepPreviousData,
  })

export const useErrors = (appId: string, { type, status, endpoint, key }: ErrorsSearch) =>
  useInfiniteQuery({
    ...pagesOf('listErrors', {
      params: { app_id: appId },
      query: {
        ...(type ? { type } : {}),
        ...(status ? { status } : {}),
        ...(endpoint ? { endpoint } : {}),
        ...(key ? { key_id: key } : {}),
      },
    }),
    placeholderData: keepPreviousData,
    refetchInterval: ({ state }) => (state.data?.pages.length === 1 ? refreshMs : false),
  })

/** The names of keys; one without a name is called by its kind, one that is not listed by its id. */
export function useKeyNames(appId: string): (keyId: string) => string {
  const keys = useQuery(queryOf('listKeys', { params: { app_id: appId } })).data?.keys ?? []
  const names = new Map(keys.map(({ key_id, name, kind }) => [key_id, name ?? `${kind} key`]))
  return (keyId) => names.get(keyId) ?? keyId
}
