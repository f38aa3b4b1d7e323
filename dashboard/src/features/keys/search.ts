const keyFilters = ['live', 'revoked', 'all'] as const
export type KeyFilter = (typeof keyFilters)[number]

export interface KeysSearch {
  /** Without it only keys that work are shown. */
  readonly show?: KeyFilter | undefined
}

export const parseKeysSearch = ({ show }: Record<string, unknown>): KeysSearch => ({
  show: keyFilters.find((filter) => filter === show),
})
