/**
 * Chooses the account that is asked first, in apps that let this be learnt. It refuses nothing. A link stays with the
 * account that has priority, since people may have saved its number.
 */
import type { RuleFacts } from '@countersign/contract'
import { formatNearest, priceOfAccount } from '../../../billing/index.ts'
import {
  firstRank,
  hidesCost,
  type Judged,
  type Provider,
  pick,
  thousandths,
} from '../../../routing/index.ts'
import { channelOf } from '../route.ts'
import { type Rule, type RuleOutcome, routeOf } from '../rule.ts'

/** The most accounts that are shown: nobody reads more, and they would make the row large. */
const mostShown = 10

export const judgeAccount: Rule = (subject, { found }, { providers, prices, routes, random }) => {
  const { step } = routeOf(found)
  const { app, country } = subject
  const { accounts, learned } = app.settings.routing
  if (accounts !== 'learned' || step.kind !== 'message') return null
  const channel = channelOf(step)
  const able = firstRank(providers.usable(app.companyId, channel, country))
  const known = routes.get(app.appId)
  const [first] = able
  if (!first) return null
  if (!known) return chosen('unread', first, [], able)
  const priced = able.map((provider) => ({
    providerId: provider.providerId,
    priceMicros: Number(priceOfAccount(prices, provider, channel, country)),
  }))
  const judged = known.judge(channel, country, priced, learned)
  const picked = pick(judged, random())
  const provider = able.find(({ providerId }) => providerId === picked?.providerId)
  if (!picked || !provider) return chosen('unread', first, judged, able)
  return {
    ...chosen(reasonOf(judged, picked), provider, judged, able),
    wants: { saved: savedBy(judged, picked) },
  }
}

function reasonOf(judged: readonly Judged[], picked: Judged): RuleFacts['account']['because'] {
  if (judged.length === 1) return 'only'
  if (picked.state === 'holding') return 'holding'
  if (picked.state !== 'leading') return 'trying'
  return picked.isKnown ? 'leading' : 'too_little_known'
}

/**
 * What the picked account saves, compared with as many approvals at the one that has priority; 0 unless both are known.
 */
function savedBy(judged: readonly Judged[], picked: Judged): number {
  const [first] = judged
  if (!first || first === picked || !first.isKnown || !picked.isKnown) return 0
  return picked.conversion * first.costMicros - picked.priceMicros
}

function chosen(
  because: RuleFacts['account']['because'],
  provider: Provider,
  judged: readonly Judged[],
  able: readonly Provider[],
): RuleOutcome {
  const accounts = judged.slice(0, mostShown).map((each, index) => factsOf(each, able[index]))
  const facts = { because, provider_id: provider.providerId, accounts }
  return { decided: { rule: 'account', outcome: 'pass', facts }, found: { account: provider } }
}

function factsOf(judged: Judged, provider: Provider | undefined): RuleFacts['account']['accounts'][number] {
  const isHidden = provider === undefined || hidesCost(provider)
  return {
    provider_id: judged.providerId,
    sends: Math.round(judged.ripe * 10) / 10,
    conversion: thousandths(judged.conversion),
    low: thousandths(judged.conversionLow),
    high: thousandths(judged.conversionHigh),
    price: isHidden ? null : formatNearest(judged.priceMicros),
    cost_per_approval: isHidden ? null : formatNearest(judged.costMicros),
    share: thousandths(judged.share),
    state: judged.state,
  }
}
