/** What is known of an app's accounts, by channel and country. */
import { z } from 'zod'
import { accountChoice } from '../tenancy/settings.ts'
import { routeState } from '../verification/decision.ts'
import { amount, channelName, country } from '../vocabulary.ts'

export const routesQuery = z.strictObject({
  channel: channelName.optional(),
  country: country.optional().meta({
    description:
      'ISO 3166-1 alpha-2, in capitals. With it accounts are listed that have carried nothing yet.',
  }),
})

const route = z.object({
  provider_id: z.string(),
  name: z.string().nullable(),
  channel: channelName,
  country: z.string().nullable().meta({ description: 'Null for email addresses.' }),
  sends: z.int().meta({ description: 'Messages that the account took for this app.' }),
  delivered: z.int().meta({ description: 'How many of them it reported as delivered.' }),
  failed: z.int().meta({ description: 'How many of them it reported as failed.' }),
  approved: z.int().meta({ description: 'How many of them ended in an approval.' }),
  seconds_to_approve: z
    .number()
    .nullable()
    .meta({ description: 'From the message to the approval, on average.' }),
  price: amount.nullable().meta({
    description:
      'Of one message, by `costs` of the account, else by the price book. Null: not for you to see.',
  }),
  conversion: z.number().nullable().meta({
    description: 'The current estimate, from 0 to 1; older messages count less. Null without any.',
  }),
  cost_per_approval: amount.nullable().meta({ description: 'What the account is judged by.' }),
  low: amount
    .nullable()
    .meta({ description: 'Nine of ten times the cost of an approval lies between `low` and `high`.' }),
  high: amount.nullable(),
  share: z.number().meta({ description: 'The share of the next messages that goes to it, from 0 to 1.' }),
  state: routeState,
  saved: amount.meta({
    description:
      'An estimate: compared with the account that has priority, as it was judged at each message.',
  }),
})

export const routesAnswer = z.object({
  accounts: accountChoice,
  routes: z.array(route).meta({ description: 'By channel and country, each in the order of priority.' }),
})
export type RoutesAnswer = z.infer<typeof routesAnswer>
