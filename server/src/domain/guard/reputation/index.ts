export { explainIp } from './explain.ts'
export type { IpClass } from './ip-class.ts'
export { type IpStanding, listingOf, loadReputation, type Reputation, watchReputation } from './reputation.ts'
