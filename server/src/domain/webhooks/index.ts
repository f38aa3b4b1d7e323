export type { Endpoint } from './endpoint.ts'
export { deliveryEvent, initialStatus, type NewEvent, type OtpEvents, otpEvent, otpEvents } from './event.ts'
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
export { type SendEventDependencies, sendEvent } from './send-event.ts'
export {
  claimEvents,
  countPaused,
  type DueEvent,
  expireEvents,
  listDueApps,
  releaseAbandoned,
  skipWithoutEndpoint,
} from './send-store.ts'
export { findEndpoint, type ListedEvent } from './store.ts'
