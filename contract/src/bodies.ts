/** The bodies that forms of the dashboard are checked by before they are sent. */
import { z } from 'zod'

// The policy of the pages forbids making code from text, and browsers report even the attempt.
z.config({ jitless: true })

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
