export { explainIp } from './explain.ts'
export type { IpClass } from './ip-class.ts'
export { loadReputation, type Reputation, type Standing, watchReputation } from './reputation.ts'
