export { type SmppSettings, smppSettings } from '@countersign/contract'
