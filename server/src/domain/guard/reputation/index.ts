export { explainIp } from './explain.ts'
export type { IpClass } from './ip-class.ts'
export { listingOf, loadReputation, type Reputation, type Standing, watchReputation } from './reputation.ts'
