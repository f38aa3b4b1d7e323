import { useQuery } from '@tanstack/react-query'
import { queryOf } from '#lib/queries.ts'
import { useChange } from '#lib/use-change.ts'
import { roleLabels } from '../lib/role-words.ts'

export const useMembers = (companyId: string) =>
  useQuery(queryOf('listMembers', { params: { company_id: companyId } }))

export const useChangeRole = () =>
  useChange('updateMember', {
    says: ({ email, role }) => `${email} now has the role ${roleLabels[role].toLowerCase()}`,
    refreshes: ['listMembers', 'getMe'],
    problems: 'form',
  })

export const useRemoveMember = () =>
  useChange('removeMember', {
    says: 'Removed from the company',
    refreshes: ['listMembers', 'getMe'],
    problems: 'form',
  })

export const useInvite = () => useChange('inviteMember', { refreshes: ['listMembers'], problems: 'form' })

export const useWithdrawInvitation = () =>
  useChange('withdrawInvitation', {
    says: 'Invitation withdrawn',
    refreshes: ['listMembers'],
    problems: 'form',
  })
