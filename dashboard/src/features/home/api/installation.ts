import { useQuery } from '@tanstack/react-query'
import { queryOf } from '#lib/queries.ts'

const refreshMs = 30_000

export const useInstallation = () =>
  useQuery({ ...queryOf('getInstallation', {}), refetchInterval: refreshMs })

export const useAllBlocks = () => useQuery({ ...queryOf('listAllBlocks', {}), refetchInterval: refreshMs })

/** Of the first page: the operator’s own come first. */
export const useAccountStates = () =>
  useQuery({ ...queryOf('listProviders', {}), refetchInterval: refreshMs })
