import { type Period, periods } from '#lib/period.ts'

export interface ErrorsSearch {
  readonly period?: Period | undefined
  /** Which errors are shown in full. */
  readonly type?: string | undefined
  readonly status?: number | undefined
  readonly endpoint?: string | undefined
  readonly key?: string | undefined
}

const text = (value: unknown, most: number) =>
  typeof value === 'string' && value.length > 0 && value.length <= most ? value : undefined

export const parseErrorsSearch = (search: Record<string, unknown>): ErrorsSearch => ({
  period: periods.find((period) => period === search.period),
  type: text(search.type, 64),
  status: typeof search.status === 'number' && search.status >= 400 ? search.status : undefined,
  endpoint: text(search.endpoint, 100),
  key: text(search.key, 64),
})
