export { type TwilioSettings, twilioSettings } from '@countersign/contract'
