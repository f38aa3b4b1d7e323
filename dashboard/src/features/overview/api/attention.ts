import { useQuery } from '@tanstack/react-query'
import { queryOf } from '#lib/queries.ts'

const refreshMs = 30_000

export const useAttention = (appId: string) =>
  useQuery({ ...queryOf('getAttention', { params: { app_id: appId } }), refetchInterval: refreshMs })
