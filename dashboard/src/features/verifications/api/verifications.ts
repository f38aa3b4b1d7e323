import type { ListedRefusal } from '@countersign/contract'
import { keepPreviousData, useInfiniteQuery, useQuery } from '@tanstack/react-query'
import type { Wanted } from '#components/recipient/wanted.ts'
import { useApp } from '#lib/app.ts'
import { addressOfCall } from '#lib/client.ts'
import { pagesOf, queryOf } from '#lib/queries.ts'
import { momentOf } from '#lib/time-zone.ts'
import { isBackwards, type VerificationsSearch } from '../search.ts'

const refreshMs = 10_000

const dayMs = 86_400_000

/** Days are in the time zone of the page; the service takes instants. */
const dayStart = (day: string) => new Date(momentOf(`${day}T00:00:00`)).toISOString()
const dayEnd = (day: string) => dayStart(new Date(Date.parse(day) + dayMs).toISOString().slice(0, 10))

const filterOf = ({ status, channel, country, problem, ...days }: VerificationsSearch) => {
  const { from, to } = isBackwards(days) ? {} : days
  return {
    ...(status ? { status } : {}),
    ...(channel ? { channel } : {}),
    ...(country ? { country } : {}),
    ...(problem ? { problem } : {}),
    ...(from ? { from: dayStart(from) } : {}),
    ...(to ? { to: dayEnd(to) } : {}),
  }
}

/** The addresses of the lists as files, with their filters. */
export const verificationsFile = (appId: string, search: VerificationsSearch): string =>
  addressOfCall('listVerifications', { params: { app_id: appId }, query: filterOf(search) })
export const refusalsFile = (appId: string, search: VerificationsSearch): string =>
  addressOfCall('listRefusals', { params: { app_id: appId }, query: refusalFilterOf(search) })

const refusalFilterOf = ({ rule, country, from, to }: VerificationsSearch) => ({
  ...filterOf({ country, from, to }),
  ...(rule ? { rule } : {}),
})

/** Refusals are not filtered by status or channel, which only verifications have. */
export const useRefusals = (appId: string, search: VerificationsSearch) =>
  useInfiniteQuery({
    ...pagesOf('listRefusals', {
      params: { app_id: appId },
      query: refusalFilterOf(search),
    }),
    placeholderData: keepPreviousData,
    refetchInterval: ({ state }) => (state.data?.pages.length === 1 ? refreshMs : false),
  })

/** Whether refusals are shown among verifications: not under a filter that only verifications have. */
export const showsRefusals = ({ status, channel, problem }: VerificationsSearch): boolean =>
  !status && !channel && !problem

/**
 * The refusals to show among verifications. A recipient is searched for in the whole company, and refusals of other apps
 * are left out.
 */
export function useRefusedAmong(appId: string, search: VerificationsSearch, wanted: Wanted | null) {
  const { company_id: companyId } = useApp(appId)
  const isMeant = showsRefusals(search)
  const listed = useInfiniteQuery({
    ...pagesOf('listRefusals', { params: { app_id: appId }, query: refusalFilterOf(search) }),
    select: ({ pages }) => pages.flatMap(({ refusals }) => refusals),
    enabled: isMeant && wanted === null,
    placeholderData: keepPreviousData,
    refetchInterval: ({ state }) => (state.data?.pages.length === 1 ? refreshMs : false),
  })
  const found = useInfiniteQuery({
    ...pagesOf('searchCompany', {
      params: { company_id: companyId },
      body: { ...bodyOf(wanted), problem: 'refusal' },
    }),
    select: ({ pages }) => pages.flatMap(({ refusals }) => refusals.filter(matching(appId, search))),
    enabled: isMeant && wanted !== null,
  })
  if (!isMeant) return { ...listed, data: [], hasNextPage: false }
  return wanted === null ? listed : found
}

/** Applies the filters of the list to rows that the search for a recipient found. */
const matching =
  (appId: string, { country, from, to }: VerificationsSearch) =>
  (refusal: ListedRefusal & { readonly app_id: string }) =>
    refusal.app_id === appId &&
    (!country || refusal.country === country) &&
    (!from || refusal.created_at >= dayStart(from)) &&
    (!to || refusal.created_at < dayEnd(to))

/** With a recipient, the country tells how to read the number; it is not a filter. */
const bodyOf = (wanted: Wanted | null) => ({
  recipient: wanted?.recipient ?? '',
  ...(wanted?.country ? { country: wanted.country } : {}),
})

/** A recipient goes in a body, never in an address. */
export function useVerifications(appId: string, search: VerificationsSearch, wanted: Wanted | null) {
  const params = { app_id: appId }
  const listed = useInfiniteQuery({
    ...pagesOf('listVerifications', { params, query: filterOf(search) }),
    enabled: wanted === null,
    placeholderData: keepPreviousData,
    // Only a list of one page is refreshed by itself: somebody who has loaded more is reading.
    refetchInterval: ({ state }) => (state.data?.pages.length === 1 ? refreshMs : false),
  })
  const found = useInfiniteQuery({
    ...pagesOf('searchVerifications', { params, body: { ...filterOf(search), ...bodyOf(wanted) } }),
    enabled: wanted !== null,
  })
  return wanted === null ? listed : found
}

const isOpen = (status: string | undefined) => status === 'pending'

export const useVerification = (otpId: string) =>
  useQuery({
    ...queryOf('getVerification', { params: { otp_id: otpId } }),
    refetchInterval: ({ state }) => (isOpen(state.data?.status) ? 2_000 : false),
  })
