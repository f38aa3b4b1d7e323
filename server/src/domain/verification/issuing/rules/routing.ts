/** The channel: the first of the order on a send, the next or the named one on a resend. */
import { AppError, type ErrorName, type RuleFacts, sayNoWay } from '@countersign/contract'
import type { Order } from '../../../routing/index.ts'
import { channelOf, linkStep, routeFor } from '../route.ts'
import { type Found, type Rule, type RuleOutcome, refuse, type Step, type Subject } from '../rule.ts'

export const judgeRouting: Rule = (subject, { batch, found }, { providers }) => {
  const { order, step } = routeFor(subject, batch, found.demands, providers)
  if (step.kind !== 'nowhere') return chosen(order, step)
  const errorName: ErrorName = subject.resend ? 'ResendNotAllowedError' : 'NoEnabledChannelError'
  const facts = whyNowhere(subject, order, found)
  const refused = refuse({ rule: 'routing', outcome: 'refuse', facts }, errorName)
  // A device learns nothing about deliveries, so it is not told what a provider said about the person.
  return subject.keyKind === 'publishable'
    ? { ...refused, refusal: new AppError(errorName, sayNoWay(facts)) }
    : refused
}

function whyNowhere(
  subject: Subject,
  order: Order,
  { demands }: Found,
): Exclude<RuleFacts['routing'], { because: 'chosen' }> {
  const named = subject.resend ? subject.resend.named : onlyOne(subject.among)
  const hasChannel = named ? order.reachable.includes(named) : order.usable.length > 0
  if (demands.needsLink && hasChannel && !linkStep(subject, order.reachable))
    return { because: 'no_link', ...factsOf(order) }
  if (named) return { because: 'channel_not_usable', channel: named, ...factsOf(order) }
  return { because: subject.resend ? 'no_channel_left' : 'no_channel', ...factsOf(order) }
}

const onlyOne = (among: Subject['among']) => (among?.length === 1 ? among[0] : undefined)

const factsOf = ({ usable, leftOut }: Order) => ({ order: [...usable], left_out: [...leftOut] })

const kinds = { message: 'message', link: 'link', 'same-link': 'same_link' } as const

function chosen(order: Order, step: Step): RuleOutcome {
  const facts = {
    because: 'chosen',
    channel: channelOf(step),
    as: kinds[step.kind],
    ...factsOf(order),
  } as const
  return { decided: { rule: 'routing', outcome: 'pass', facts }, found: { route: { order, step } } }
}
