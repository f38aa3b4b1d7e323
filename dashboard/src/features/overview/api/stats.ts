import type { Figures, StatsAnswer } from '@countersign/contract'
import { keepPreviousData, useQueries, useQuery } from '@tanstack/react-query'
import type { AnswerOf, InputOf } from '#lib/client.ts'
import { queryOf } from '#lib/queries.ts'

export type StatsQuery = NonNullable<InputOf<'getStats'>['query']>
export type StatsRow = AnswerOf<'getStats'>['rows'][number]

const refreshMs = 60_000

const statsQuery = (appId: string, query: StatsQuery) => ({
  ...queryOf('getStats', { params: { app_id: appId }, query }),
  refetchInterval: refreshMs,
})

export const useStats = (appId: string, query: StatsQuery) =>
  useQuery({ ...statsQuery(appId, query), placeholderData: keepPreviousData })

/** One query per part, in order. Draw it once `isWhole` is true: a missing part would look like nothing sent. */
export function useStatsOfEach(appId: string, queries: readonly StatsQuery[]) {
  const answers = useQueries({ queries: queries.map((query) => statsQuery(appId, query)) })
  return {
    answers: answers.map(({ data }) => data),
    isWhole: answers.every(({ data }) => data !== undefined),
    error: answers.find(({ error }) => error)?.error ?? null,
  }
}

/** Finds rows by the instant at which their hour or day begins. */
export function rowsByTime(answer: StatsAnswer | undefined): (key: string) => Figures | undefined {
  const rows = new Map(answer?.rows.map((row) => [Date.parse(row.key), row]))
  return (key) => rows.get(Date.parse(key))
}

export const waysQuery = (appId: string, query: NonNullable<InputOf<'getWays'>['query']>) => ({
  ...queryOf('getWays', { params: { app_id: appId }, query }),
  refetchInterval: refreshMs,
})
