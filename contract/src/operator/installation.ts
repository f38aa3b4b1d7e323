/** What operators see of all companies at once. */
import { z } from 'zod'
import { alertRuleName } from '../alerts/alerts.ts'
import { blockAnswer } from '../guard/blocks.ts'
import { amount, timestamp } from '../vocabulary.ts'

export const companyFigures = z.object({
  company_id: z.string(),
  name: z.string(),
  metered: z.boolean(),
  balance: amount,
  apps: z.int(),
  sends: z.int().meta({ description: 'Verifications that were started in the last day.' }),
  approvals: z.int(),
  conversion: z.number().nullable().meta({ description: 'Approvals over sends; null without sends.' }),
  refusals: z.int().meta({ description: 'Sends and resends that were refused in the last day.' }),
  cost: amount.meta({ description: 'What its messages of the last day cost.' }),
  alerts: z.int().meta({ description: 'What is wrong in it now, as far as operators are told.' }),
})
export const installationAnswer = z.object({
  from: timestamp,
  to: timestamp,
  companies: z.array(companyFigures).meta({ description: 'Most sends first; 1,000 at most.' }),
  attention: z.array(
    z.object({
      kind: alertRuleName,
      severity: z.enum(['warning', 'critical']),
      message: z.string(),
      since: timestamp.nullable(),
      subject: z.string(),
      company_id: z.string().nullable(),
    }),
  ),
})
export type InstallationAnswer = z.infer<typeof installationAnswer>

export const allBlocksAnswer = z.object({
  blocks: z.array(
    blockAnswer.extend({
      company_id: z.string(),
      company_name: z.string(),
      app_id: z.string(),
      app_name: z.string(),
    }),
  ),
})
