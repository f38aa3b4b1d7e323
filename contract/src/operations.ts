/** Every endpoint: who may call it, what it takes, what it answers, how it refuses. One file for each subject. */
import { alertOperations } from './alert-operations.ts'
import { appOperations } from './app-operations.ts'
import { companyOperations } from './company-operations.ts'
import { guardOperations } from './guard-operations.ts'
import { insightOperations } from './insight-operations.ts'
import { memberOperations } from './member-operations.ts'
import type { Operation } from './operation.ts'
import { operatorOperations } from './operator-operations.ts'
import { otpOperations } from './otp-operations.ts'
import { passkeyOperations } from './passkey-operations.ts'
import { providerOperations } from './provider-operations.ts'
import { ruleOperations } from './rule-operations.ts'
import { supportOperations } from './support-operations.ts'
import { webhookOperations } from './webhook-operations.ts'

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
