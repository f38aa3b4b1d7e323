export { type SmtpSettings, smtpSettings } from '@countersign/contract'
