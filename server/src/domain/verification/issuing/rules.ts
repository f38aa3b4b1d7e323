/**
 * Which rules are asked about a call. Only these lists define the order: of several rules that would refuse, the first
 * is named, and each may use what those before it found.
 */
import type { Rule } from './rule.ts'
import { judgeAccount } from './rules/account.ts'
import { judgeBalance } from './rules/balance.ts'
import { judgeCooldown } from './rules/cooldown.ts'
import { judgeException } from './rules/exception.ts'
import { judgeGeo } from './rules/geo.ts'
import { judgeLimits } from './rules/limits.ts'
import { judgeOwnRules } from './rules/own-rules.ts'
import { judgePaused } from './rules/paused.ts'
import { judgePending } from './rules/pending.ts'
import { judgePumping } from './rules/pumping.ts'
import { judgeRecipient } from './rules/recipient.ts'
import { judgeReputation } from './rules/reputation.ts'
import { judgeRouting } from './rules/routing.ts'
import { judgeSendAttempts } from './rules/send-attempts.ts'
import { judgeSpend } from './rules/spend.ts'

const send: readonly Rule[] = [
  judgePaused,
  judgeRecipient,
  judgeGeo,
  judgeException,
  judgeOwnRules,
  judgeReputation,
  judgeRouting,
  judgePumping,
  judgeLimits,
  judgeSpend,
  judgeBalance,
  judgeAccount,
]

const resend: readonly Rule[] = [
  judgePending,
  judgeCooldown,
  judgeException,
  judgeOwnRules,
  judgeSendAttempts,
  judgeRouting,
  judgeGeo,
  judgeReputation,
  judgePumping,
  judgeLimits,
  judgeSpend,
  judgeBalance,
  judgeAccount,
]

/** A preview says what a send would do, so it asks the same rules. */
export const rulesOf = { send, resend, preview: send } as const
