export const guardTabs = ['pumping', 'countries', 'limits', 'spend', 'addresses', 'rules', 'history'] as const

export interface GuardSearch {
  readonly tab?: (typeof guardTabs)[number] | undefined
}

export const parseGuardSearch = (search: Record<string, unknown>): GuardSearch => ({
  tab: guardTabs.find((tab) => tab === search.tab),
})
