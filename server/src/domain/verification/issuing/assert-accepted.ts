/** A call that a rule has refused ends here, with a note of what it would have been. */
import type { PriceBook } from '@countersign/contract'
import { priceOf } from '../../billing/index.ts'
import type { Asked } from './ask-rules.ts'
import type { BatchState, BatchWrites, Call } from './batch.ts'
import { refusalOf } from './refused.ts'
import { channelOf } from './route.ts'
import type { RuleContext, Step, Subject } from './rule.ts'
import { judgeRouting } from './rules/routing.ts'

export function assertAccepted(
  { decided, refusal: error, found }: Asked,
  { call, subject }: { readonly call: Call; readonly subject: Subject },
  state: BatchState,
  writes: BatchWrites,
  context: RuleContext,
): void {
  const last = decided.at(-1)
  if (!error || !last) return
  // Some rules refuse before the channel is chosen; where it would have gone is told all the same.
  const route = found.route ?? judgeRouting(subject, { batch: state, found }, context)?.found?.route ?? null
  const refusal = refusalOf({
    call,
    current: subject.resend?.current ?? null,
    decided: last,
    error,
    route: route && wayOf(route.step, subject.country, context.prices),
    atMs: state.nowMs,
  })
  writes.refusals.push(refusal)
  throw error
}

/** A link costs nothing until a message is sent. */
const wayOf = (step: Step, country: string | null, prices: PriceBook) => ({
  channel: channelOf(step),
  priceMicros: step.kind === 'message' ? priceOf(prices, step.channel, country) : 0n,
})
