export interface CompaniesSearch {
  readonly search?: string | undefined
}

export const parseCompaniesSearch = ({ search }: Record<string, unknown>): CompaniesSearch => ({
  search: typeof search === 'string' && search ? search.slice(0, 100) : undefined,
})
