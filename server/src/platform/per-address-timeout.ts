/**
 * For every connection by name. By default Node gives each address but the last a quarter of a second and never returns
 * to it. For a distant host, or after a lost packet, only the IPv6 address would be left, which many machines cannot
 * reach. Two seconds are enough for the packet to be sent again.
 */
export const perAddressTimeout = { autoSelectFamilyAttemptTimeout: 2_000 } as const
