/** The channel: the first of the order on a send, the next or the named one on a resend. */
import type { ChannelName, RuleFacts } from '@countersign/contract'
import { nextChannel, type Order, type ResendStep } from '../../../routing/index.ts'
import { channelOf, orderFor } from '../route.ts'
import {
  type Rule,
  type RuleContext,
  type RuleOutcome,
  type RuleState,
  refuse,
  type Step,
  type Subject,
} from '../rule.ts'

export const routeSend: Rule = (subject, state, context) => {
  const order = orderNow(subject, state, context)
  const [first] = order.usable
  if (!first) {
    const facts = { because: 'no_channel', ...factsOf(order) } as const
    return refuse({ rule: 'routing', outcome: 'refuse', facts }, 'NoEnabledChannelError')
  }
  return chosen(order, firstStep(subject, first))
}

function firstStep({ app }: Subject, channel: ChannelName): Step {
  const { mode } = app.settings.channels.whatsapp
  return channel === 'whatsapp' && mode !== 'template'
    ? { kind: 'link', linkMode: mode }
    : { kind: 'message', channel, isFresh: true }
}

export const routeResend: Rule = (subject, state, context) => {
  const { order, step } = nextStep(subject, state, context)
  if (step.kind !== 'nowhere') return chosen(order, step)
  const named = subject.resend?.named
  const facts: RuleFacts['routing'] = named
    ? { because: 'channel_not_usable', channel: named, ...factsOf(order) }
    : { because: 'no_channel_left', ...factsOf(order) }
  return refuse({ rule: 'routing', outcome: 'refuse', facts }, 'ResendNotAllowedError')
}

/** Where a resend would go, whether it may or not. */
export function nextStep(
  subject: Subject,
  state: RuleState,
  context: RuleContext,
): { order: Order; step: ResendStep } {
  if (!subject.resend) throw new Error('a send has no step before it')
  const { current, named } = subject.resend
  const order = orderNow(subject, state, context)
  return { order, step: nextChannel(order, subject.app.settings.channels.whatsapp.mode, current, named) }
}

const orderNow = (subject: Subject, { batch }: RuleState, { providers }: RuleContext): Order =>
  orderFor(subject, batch.unreachableFor(subject.app.appId, subject.recipientHash), providers)

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
