/** The app's own rules. They come before rules that they may override, and before routing, which they may narrow. */
import type { Decided, Outcome } from '@countersign/contract'
import { priceOf } from '../../../billing/index.ts'
import { listingOf } from '../../../guard/index.ts'
import { compiledRules } from '../own-rules/compile.ts'
import type { IpListed } from '../own-rules/conditions.ts'
import { type Destination, judgeOwn, type OwnFacts, type Verdict, type World } from '../own-rules/judge.ts'
import { channelOf, routeFor } from '../route.ts'
import {
  noOwnDemands,
  type OwnDemands,
  type Rule,
  type RuleContext,
  type RuleOutcome,
  type RuleState,
  refuse,
  type Subject,
} from '../rule.ts'

export const judgeOwnRules: Rule = (subject, state, context) => {
  const compiled = compiledRules(subject.app.rules)
  if (!compiled || state.found.isAllowed) return null
  // Showing the link that the person already has sends nothing.
  if (routeFor(subject, state.batch, noOwnDemands, context.providers).step.kind === 'same-link') return null
  const { verdicts, stop, demands, counted, kept } = judgeOwn(compiled, worldOf(subject, state, context))
  const decided = verdicts.map(decidedOf)
  const keeps = { limits: kept }
  if (stop) return { ...refusalOf(stop), decided, keeps }
  return { decided, found: { demands }, wants: { counted }, keeps }
}

function worldOf(subject: Subject, { batch }: RuleState, context: RuleContext): World {
  const { app, recipientHash, ipKey, number } = subject
  return {
    person: { appId: app.appId, recipientHash, ipKey },
    nowMs: batch.nowMs,
    facts: {
      country: subject.country,
      recipientType: subject.recipientType,
      emailDomain: subject.emailDomain,
      keyKind: subject.keyKind,
      number: () => number,
      ipClass: () => listedAs(subject, context),
      ipCountry: () => (subject.clientIp === null ? null : context.reputation.countryOf(subject.clientIp)),
      isKnown: () => batch.isKnown(app.appId, recipientHash),
    },
    goesTo: remembered((demands) => destinationOf(subject, batch, demands, context)),
    stateOf: (row) => batch.limit(app.companyId, row),
  }
}

/** Remembers the last answer, since consecutive rules mostly ask about the same channels. */
function remembered(find: World['goesTo']): World['goesTo'] {
  let last: { readonly demands: OwnDemands; readonly found: Destination | null | undefined } | null = null
  return (demands) => {
    if (last?.demands !== demands) last = { demands, found: find(demands) }
    return last.found
  }
}

function listedAs({ clientIp }: Subject, { reputation }: RuleContext): IpListed {
  if (clientIp === null) return 'none'
  const listing = listingOf(reputation.classify(clientIp))
  return listing.because === 'listed' ? listing.class : 'unlisted'
}

function destinationOf(
  subject: Subject,
  batch: RuleState['batch'],
  demands: OwnDemands,
  { providers, prices }: RuleContext,
): Destination | null {
  const { step } = routeFor(subject, batch, demands, providers)
  if (step.kind === 'nowhere') return null
  const channel = channelOf(step)
  const isLink = step.kind !== 'message'
  return { channel, isLink, priceMicros: isLink ? 0n : priceOf(prices, channel, subject.country) }
}

const outcomes: Readonly<Record<OwnFacts['effect'], Outcome>> = {
  refuse: 'refuse',
  hold: 'refuse',
  reroute: 'reroute',
  pass: 'pass',
  none: 'pass',
}

function decidedOf({ rule: { isShadow }, facts }: Verdict): Decided<'own_rule'> {
  // If no channel is left, routing refuses afterwards.
  const isNarrowing = facts.action === 'channels' || facts.action === 'link'
  const outcome = isNarrowing && facts.effect === 'refuse' ? 'reroute' : outcomes[facts.effect]
  return { rule: 'own_rule', outcome: isShadow ? 'shadow' : outcome, facts }
}

function refusalOf(stop: Verdict): RuleOutcome {
  const { facts } = stop
  const rule = facts.name
  return 'retry_after' in facts
    ? refuse(decidedOf(stop), 'RateLimitExceededError', {
        scope: 'rule',
        rule,
        retry_after: facts.retry_after,
      })
    : refuse(decidedOf(stop), 'RuleBlockedError', { rule })
}
