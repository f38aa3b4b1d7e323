export const billingTabs = ['ledger', 'days', 'prices', 'spend'] as const

export interface BillingSearch {
  readonly tab?: (typeof billingTabs)[number] | undefined
  /** A part of a country's name, in the price book. */
  readonly country?: string | undefined
  /** Without it only entries that move money are shown. */
  readonly entries?: 'all' | undefined
  /** The app whose spend is shown. */
  readonly app?: string | undefined
}

const text = (value: unknown) => (typeof value === 'string' && value ? value.slice(0, 64) : undefined)

export const parseBillingSearch = (search: Record<string, unknown>): BillingSearch => ({
  tab: billingTabs.find((tab) => tab === search.tab),
  country: text(search.country),
  entries: search.entries === 'all' ? 'all' : undefined,
  app: text(search.app),
})
