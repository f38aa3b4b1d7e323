export {
  claimEvents,
  countPaused,
  type DueApp,
  type DueEvent,
  expireEvents,
  listDueApps,
  type Room,
  releaseAbandoned,
  skipWithoutEndpoint,
} from './claim-store.ts'
export type { Endpoint } from './endpoint.ts'
export { deliveryEvent, initialStatus, type NewEvent, type OtpEvents, otpEvent, otpEvents } from './event.ts'
export { keptByWebhooks } from './kept.ts'
export {
  countUnsent,
  enableEndpoint,
  getEndpoint,
  getEvent,
  listEvents,
  removeEndpoint,
  replayEvent,
  replayFailed,
  rotateSecret,
  sendTestEvent,
  setEndpoint,
  type WebhookDependencies,
} from './manage-endpoint.ts'
export { createOutcomes } from './outcomes.ts'
export { type SendEventDependencies, sendEvent } from './send-event.ts'
export { makeSecret, signedHeaders } from './sign.ts'
export { findEndpoint, type ListedEvent } from './store.ts'
export { Windows } from './windows.ts'
