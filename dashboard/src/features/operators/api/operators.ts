import { useQuery } from '@tanstack/react-query'
import { queryOf } from '#lib/queries.ts'
import { useChange } from '#lib/use-change.ts'

export const useOperators = () => useQuery(queryOf('listOperators', {}))
export const useSignInLinks = () => useQuery(queryOf('listSignInLinks', {}))

const refreshes = ['listOperators', 'listSignInLinks', 'getMe'] as const

export const useDemoteOperator = () =>
  useChange('demoteOperator', { says: 'No longer an operator', refreshes, problems: 'form' })

export const useRemoveOperator = () =>
  useChange('removeOperator', { says: 'Removed and signed out', refreshes, problems: 'form' })

export const useRevokeLink = () =>
  useChange('revokeSignInLink', { says: 'Link revoked', refreshes, problems: 'form' })
