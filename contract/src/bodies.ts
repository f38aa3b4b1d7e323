/** The schemas by which forms of the dashboard are checked before they are sent. */
import './without-eval.ts'

export { putAlertsBody } from './alerts.ts'
export { changedSettings } from './changed-settings.ts'
export { parseFields } from './field-problems.ts'
export {
  createAppBody,
  createCompanyBody,
  createKeyBody,
  creditBody,
  eraseBody,
  priceBook,
  updateCompanyBody,
} from './manage.ts'
export { inviteBody, signInBody, signInCodeBody, signInRulesBody, updateMeBody } from './members.ts'
export { putRulesBody, ruleDraft } from './own-rules.ts'
export { renamePasskeyBody } from './passkeys.ts'
export { createProviderBody, testProviderBody } from './providers/bodies.ts'
export { appName, appSettings } from './settings.ts'
export { exceptRecipientBody, resendVerificationBody } from './support.ts'
export { createWebhookBody, replayFailedBody, updateWebhookBody, webhookBody } from './webhooks.ts'
