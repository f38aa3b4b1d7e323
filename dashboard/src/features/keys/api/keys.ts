import { useInfiniteQuery } from '@tanstack/react-query'
import { pagesOf } from '#lib/queries.ts'
import { useChange } from '#lib/use-change.ts'
import type { KeyFilter } from '../search.ts'

const pageSize = 50

export const useKeys = (appId: string, show: KeyFilter) =>
  useInfiniteQuery(
    pagesOf('listKeys', {
      params: { app_id: appId },
      query: { limit: pageSize, ...(show === 'all' ? {} : { state: show }) },
    }),
  )

export const useCreateKey = () => useChange('createKey', { refreshes: ['listKeys'], problems: 'form' })

export const useRevokeKey = () =>
  useChange('revokeKey', { says: 'The key is revoked', refreshes: ['listKeys'], problems: 'form' })
