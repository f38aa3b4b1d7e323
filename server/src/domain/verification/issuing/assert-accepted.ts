/** Throws if a rule has refused the call, and notes what the call would have been. */
import type { PriceBook } from '@countersign/contract'
import { priceOf } from '../../billing/index.ts'
import type { ResendStep } from '../../routing/index.ts'
import type { RulesResult } from './ask-rules.ts'
import type { BatchState, BatchWrites, Call } from './batch.ts'
import { refusalOf } from './refused.ts'
import { channelOf, routeFor } from './route.ts'
import type { RuleContext, Subject } from './rule.ts'

export function assertAccepted(
  { decided, refusal: error, found }: RulesResult,
  { call, subject }: { readonly call: Call; readonly subject: Subject },
  state: BatchState,
  writes: BatchWrites,
  context: RuleContext,
): void {
  const refused = decided.findLast(({ outcome }) => outcome === 'refuse')
  if (!error || !refused) return
  // Some rules refuse before the channel is chosen; the note still names the channel that it would have been.
  const { step } = found.route ?? routeFor(subject, state, found.demands, context.providers)
  const refusal = refusalOf({
    call,
    current: subject.resend?.current ?? null,
    decided: refused,
    error,
    route: channelAndPriceOf(step, subject.country, context.prices),
    atMs: state.nowMs,
  })
  writes.refusals.push(refusal)
  throw error
}

/** A link costs nothing until a message is sent. */
function channelAndPriceOf(step: ResendStep, country: string | null, prices: PriceBook) {
  if (step.kind === 'nowhere') return null
  const priceMicros = step.kind === 'message' ? priceOf(prices, step.channel, country) : 0n
  return { channel: channelOf(step), priceMicros }
}
