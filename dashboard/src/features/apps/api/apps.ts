import { useInfiniteQuery } from '@tanstack/react-query'
import { pagesOf } from '#lib/queries.ts'
import { useChange } from '#lib/use-change.ts'

const pageSize = 50

export const useApps = (companyId: string) =>
  useInfiniteQuery(pagesOf('listApps', { params: { company_id: companyId }, query: { limit: pageSize } }))

export const useCreateApp = () =>
  useChange('createApp', { says: ({ name }) => `${name} created`, refreshes: ['listApps'], problems: 'form' })
