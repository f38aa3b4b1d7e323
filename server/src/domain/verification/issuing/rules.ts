/**
 * Which rules a call is put to. The order stands here and nowhere else: of several that would refuse, the first is
 * named, and each may go by what those before it found.
 */
import type { Rule } from './rule.ts'
import { judgeBalance } from './rules/balance.ts'
import { judgeCooldown } from './rules/cooldown.ts'
import { judgeGeo } from './rules/geo.ts'
import { judgeLimits } from './rules/limits.ts'
import { judgePumping } from './rules/pumping.ts'
import { judgeRecipient } from './rules/recipient.ts'
import { judgeReputation } from './rules/reputation.ts'
import { routeResend, routeSend } from './rules/routing.ts'
import { judgeSendAttempts } from './rules/send-attempts.ts'
import { judgeSpend } from './rules/spend.ts'

const send: readonly Rule[] = [
  judgeRecipient,
  judgeGeo,
  judgeReputation,
  routeSend,
  judgePumping,
  judgeLimits,
  judgeSpend,
  judgeBalance,
]

const resend: readonly Rule[] = [
  judgeCooldown,
  judgeSendAttempts,
  routeResend,
  judgeGeo,
  judgeReputation,
  judgePumping,
  judgeLimits,
  judgeSpend,
  judgeBalance,
]

/** What chooses the channel of each. */
export const routingOf = { send: routeSend, resend: routeResend } as const

/** A preview says what a send would do, so it asks the same. */
export const rulesOf = { send, resend, preview: send } as const
