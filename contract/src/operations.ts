/** Every endpoint: who may call it, what it takes, what it answers, how it refuses. One file for each subject. */
import { alertOperations } from './alerts/alert-operations.ts'
import { guardOperations } from './guard/guard-operations.ts'
import { insightOperations } from './insight/insight-operations.ts'
import { memberOperations } from './members/member-operations.ts'
import { passkeyOperations } from './members/passkey-operations.ts'
import type { Operation } from './operation.ts'
import { operatorOperations } from './operator/operator-operations.ts'
import { providerOperations } from './providers/provider-operations.ts'
import { appOperations } from './tenancy/app-operations.ts'
import { companyOperations } from './tenancy/company-operations.ts'
import { ruleOperations } from './tenancy/rule-operations.ts'
import { otpOperations } from './verification/otp-operations.ts'
import { supportOperations } from './verification/support-operations.ts'
import { webhookOperations } from './webhooks/webhook-operations.ts'

export const operations = {
  ...otpOperations,
  ...companyOperations,
  ...appOperations,
  ...guardOperations,
  ...providerOperations,
  ...webhookOperations,
  ...ruleOperations,
  ...insightOperations,
  ...supportOperations,
  ...memberOperations,
  ...passkeyOperations,
  ...operatorOperations,
  ...alertOperations,
} as const satisfies Record<string, Operation>

export type OperationName = keyof typeof operations
