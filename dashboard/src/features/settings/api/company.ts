import { useQuery } from '@tanstack/react-query'
import { plural } from '#lib/format.ts'
import { queryOf } from '#lib/queries.ts'
import { useChange } from '#lib/use-change.ts'

export const useUpdateCompany = () =>
  useChange('updateCompany', {
    says: 'Company saved',
    refreshes: ['getCompany', 'listCompanies', 'getMe'],
    problems: 'form',
  })

export const useSignInRules = (companyId: string) =>
  useQuery(queryOf('getSignInRules', { params: { company_id: companyId } }))

export const usePutSignInRules = () =>
  useChange('putSignInRules', {
    says: ({ passkey_required }) =>
      passkey_required ? 'Members now need a passkey' : 'Members no longer need a passkey',
    refreshes: ['getSignInRules', 'getMe'],
    problems: 'form',
  })

export const useEraseRecipient = () =>
  useChange('eraseRecipient', {
    says: ({ verifications }) => `Erased, including ${plural(verifications, 'verification')}`,
    refreshes: ['listVerifications', 'searchVerifications', 'getVerification'],
    problems: 'form',
  })

export const useCloseCompany = () =>
  useChange('closeCompany', {
    says: 'The company is closed.',
    refreshes: ['listCompanies', 'getMe'],
    problems: 'form',
  })
