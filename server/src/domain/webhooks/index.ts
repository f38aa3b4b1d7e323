export { deliveryEvent, type NewEvent, otpEvent } from './event.ts'
