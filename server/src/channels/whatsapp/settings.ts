export { type WhatsappSettings, whatsappSettings } from '@countersign/contract'
