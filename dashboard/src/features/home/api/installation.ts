import { useQuery } from '@tanstack/react-query'
import { queryOf } from '#lib/queries.ts'

const refreshMs = 30_000

export const useInstallation = () =>
  useQuery({ ...queryOf('getInstallation', {}), refetchInterval: refreshMs })

export const useAllBlocks = () => useQuery({ ...queryOf('listAllBlocks', {}), refetchInterval: refreshMs })

/** Only the first page of accounts, which begins with the operator’s own. */
export const useAccountStates = () =>
  useQuery({ ...queryOf('listProviders', {}), refetchInterval: refreshMs })
