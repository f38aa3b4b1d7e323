import { useQuery } from '@tanstack/react-query'
import { queryOf } from '#lib/queries.ts'
import { useChange } from '#lib/use-change.ts'

export const useSessions = () => useQuery(queryOf('listSessions', {}))

export const useEndSession = () =>
  useChange('endSession', {
    says: 'Signed out',
    refreshes: ['listSessions', 'getMe'],
    problems: 'form',
  })

export const useEndOtherSessions = () =>
  useChange('endOtherSessions', {
    says: 'Signed out everywhere else',
    refreshes: ['listSessions'],
    problems: 'form',
  })
