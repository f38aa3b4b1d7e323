import { type IpClass, ipClass } from '@countersign/contract'

/** From worst to best. If several lists name an address, the worst counts. */
export const ipClasses = ipClass.options

const ranks = Object.fromEntries(ipClasses.map((name, rank) => [name, rank])) as Record<IpClass, number>

export const isWorse = (left: IpClass, right: IpClass | null) => right === null || ranks[left] < ranks[right]
