/** What a list can say of an address, from worst to best. If several lists name it, the worst counts. */
export const ipClasses = ['abusive', 'tor', 'proxy', 'vpn', 'hosting', 'relay'] as const
export type IpClass = (typeof ipClasses)[number]

const ranks: Readonly<Record<IpClass, number>> = Object.fromEntries(
  ipClasses.map((ipClass, rank) => [ipClass, rank]),
) as Record<IpClass, number>

export const isWorse = (left: IpClass, right: IpClass | null) => right === null || ranks[left] < ranks[right]
