import { useQuery } from '@tanstack/react-query'
import { queryOf } from '#lib/queries.ts'

export const useAllProviders = () => useQuery(queryOf('listProviders', {}))
