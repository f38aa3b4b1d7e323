import { useQuery } from '@tanstack/react-query'
import { queryOf } from './queries.ts'

/** The languages that texts come in. They change only with the service. */
export const useLocales = () =>
  useQuery({ ...queryOf('listLocales', {}), staleTime: Number.POSITIVE_INFINITY })
