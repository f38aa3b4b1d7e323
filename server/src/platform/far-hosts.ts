/**
 * For every connection by name. Node gives each address but the last a quarter of a second and never returns to it. For
 * a distant host, or after a lost packet, only the IPv6 address would be left, which many machines cannot reach. Two
 * seconds are enough for a second packet.
 */
export const patientWithEach = { autoSelectFamilyAttemptTimeout: 2_000 } as const
