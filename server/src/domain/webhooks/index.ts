export { type Claims, claimEvents, type DueEvent, type Room } from './claim-store.ts'
export { listDueEndpoints, nameOf, releaseAbandoned, skipWithoutEndpoint } from './due-store.ts'
export { type Endpoint, type EndpointRef, previousSecretHours } from './endpoint.ts'
export { deliveryEvent, insertEvents, type NewEvent, type OtpEvents, otpEvent, otpEvents } from './event.ts'
export { type ListedEvent, readEvents } from './event-store.ts'
export { keptByWebhooks } from './kept.ts'
export {
  countUnsent,
  enableEndpoint,
  getEndpoint,
  getFirstEndpoint,
  listEndpoints,
  prepareEndpoint,
  prepareFirstEndpoint,
  removeEndpoint,
  rotateSecret,
  updateEndpoint,
  type WebhookDependencies,
} from './manage-endpoint.ts'
export { getEvent, listEvents, replayEvent, replayFailed, sendTestEvent } from './manage-events.ts'
export { createOutcomes, type Outcomes } from './outcomes.ts'
export { type SendEventDependencies, sendEvent } from './send-event.ts'
export { makeSecret, type Secrets, sign, signedHeaders } from './sign.ts'
export { countPaused, expireEvents } from './upkeep-store.ts'
export { type Answered, Windows } from './windows.ts'
