/**
 * For every connection by name. Node gives each address but the last a quarter of a second, and goes on to the next
 * for good: of a host that is far away, or whose first packet was lost, what is left is then the IPv6 address that many
 * a machine has no way to. Two seconds are enough for a second packet.
 */
export const patientWithEach = { autoSelectFamilyAttemptTimeout: 2_000 } as const
