/** The schemas by which forms of the dashboard are checked before they are sent. */
import { z } from 'zod'

// The content policy of the pages forbids `eval`, and browsers report even the attempt.
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
