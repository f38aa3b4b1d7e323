const keyFilters = ['live', 'revoked', 'all'] as const
export type KeyFilter = (typeof keyFilters)[number]

export interface KeysSearch {
  /** Absent: those that work. */
  readonly show?: KeyFilter | undefined
}

export const parseKeysSearch = ({ show }: Record<string, unknown>): KeysSearch => ({
  show: keyFilters.find((filter) => filter === show),
})
