import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query'
import { pagesOf } from '#lib/queries.ts'
import { useChange } from '#lib/use-change.ts'

export const useCompanies = (search: string | undefined) =>
  useInfiniteQuery({
    ...pagesOf('listCompanies', { query: search ? { search } : {} }),
    placeholderData: keepPreviousData,
  })

export const useCreateCompany = () =>
  useChange('createCompany', {
    says: ({ name }) => `${name} created`,
    refreshes: ['listCompanies'],
    problems: 'form',
  })
