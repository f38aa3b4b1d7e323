import type { ChannelName } from '@countersign/contract'
import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query'
import { pagesOf } from '#lib/queries.ts'

/** The states of accounts change by themselves. */
const refreshMs = 10_000

interface Wanted {
  readonly owner?: 'operator' | 'companies' | undefined
  readonly channel?: ChannelName | undefined
}

export const useAllProviders = ({ owner, channel }: Wanted) =>
  useInfiniteQuery({
    ...pagesOf('listProviders', { query: { ...(owner && { owner }), ...(channel && { channel }) } }),
    placeholderData: keepPreviousData,
    refetchInterval: refreshMs,
  })
