import { useQuery } from '@tanstack/react-query'
import { queryOf } from '#lib/queries.ts'

/** States change by themselves. */
const refreshMs = 10_000

export const useAllProviders = () => useQuery({ ...queryOf('listProviders', {}), refetchInterval: refreshMs })
