/** The provider accounts that would carry a channel's messages, in the order in which they are tried. */
import type { ChannelName, ProviderAnswer } from '@countersign/contract'
import { useQuery } from '@tanstack/react-query'
import { useWasAnswered } from '#components/ui/problem.tsx'
import { useApp } from '#lib/app.ts'
import { queryOf } from '#lib/queries.ts'
import { useMe } from '#lib/session.ts'

export interface Carriers {
  readonly own: readonly ProviderAnswer[]
  /** The operator's accounts; null for people who are not operators, who cannot see them. */
  readonly operators: readonly ProviderAnswer[] | null
  readonly hasSimulator: boolean
}

const byPriority = (one: ProviderAnswer, other: ProviderAnswer) => one.priority - other.priority

export function useAccounts(appId: string) {
  const { company_id } = useApp(appId)
  return useQuery(queryOf('listProviders', { query: { company_id } }))
}

export function useCarriers(appId: string) {
  const me = useMe()
  const own = useAccounts(appId)
  const all = useQuery({
    ...queryOf('listProviders', { query: { owner: 'operator' } }),
    enabled: me.is_operator,
  })
  const failed = [own, all].filter(({ data, error }) => data === undefined && error)
  const error = failed[0]?.error
  const isRead = own.data !== undefined && (all.data !== undefined || !me.is_operator)
  const wasAnswered = useWasAnswered({ data: isRead || undefined, error })
  /** Null until the accounts are read: a list that is still empty says nothing. */
  const carriersOf = (channel: ChannelName): Carriers | null => {
    if (!isRead) return null
    const carries = (account: ProviderAnswer) => account.channel === channel && account.enabled
    return {
      own: (own.data?.providers ?? []).filter(carries).sort(byPriority),
      operators: me.is_operator ? (all.data?.providers ?? []).filter(carries).sort(byPriority) : null,
      hasSimulator: me.installation.phones_url !== null,
    }
  }
  return {
    carriersOf,
    wasAnswered,
    error,
    retry: () => {
      for (const query of failed) void query.refetch()
    },
  }
}
