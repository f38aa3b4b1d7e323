export { explainIp } from './explain.ts'
export { listingOf, loadReputation, type Reputation, watchReputation } from './reputation.ts'
