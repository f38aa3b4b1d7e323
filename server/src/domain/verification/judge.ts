/** The rules that sends and resends have in common, in the order in which they are asked. */
import type { ChannelName, Decided, PriceBook, RuleFacts } from '@countersign/contract'
import type { Keyring } from '../../platform/keyring.ts'
import {
  chargeLimit,
  type LimitCheck,
  limitsOf,
  listingOf,
  type Reputation,
  testLimit,
} from '../guard/index.ts'
import { effectiveOrder, type Order, type Provider, type Providers } from '../routing/index.ts'
import type { App } from '../tenancy/index.ts'
import { type BatchState, type BatchWrites, stateKey } from './batch.ts'
import type { Price } from './judge-price.ts'
import { refusalOf, type Trail } from './trail.ts'

export interface JudgeContext {
  readonly reputation: Reputation
  readonly providers: Providers
  readonly prices: PriceBook
  readonly keyring: Keyring
}

export interface Subject {
  readonly app: App
  readonly recipientType: 'phone' | 'email'
  readonly country: string | null
  readonly isFixedLine: boolean
  readonly isDisposable: boolean
  /** E.164; null for an email address. */
  readonly number: string | null
  readonly recipientHash: Buffer
  readonly clientIp: string | null
  readonly ipKey: string | null
}

export function judgeRecipient(trail: Trail, { app, country, isDisposable }: Subject): void {
  const { disposable_email: treatment } = app.settings
  const rule = 'recipient'
  if (isDisposable && treatment === 'refuse') {
    const decided: Decided = { rule, outcome: 'refuse', facts: { because: 'disposable_email', treatment } }
    trail.refuse(decided, refusalOf('InvalidRecipientError', decided))
  }
  const email: RuleFacts['recipient'] = isDisposable
    ? { because: 'disposable_email', treatment }
    : { because: 'email' }
  trail.add({ rule, outcome: 'pass', facts: country ? { because: 'phone', country } : email })
}

export function judgeGeo(trail: Trail, { app, country }: Subject): void {
  const { mode, countries } = app.settings.geo
  if (country === null) {
    trail.add({ rule: 'geo', outcome: 'skip', facts: { because: 'no_country' } })
    return
  }
  if (countries.includes(country) === (mode === 'block')) {
    const decided: Decided = { rule: 'geo', outcome: 'refuse', facts: { because: 'blocked', country } }
    trail.refuse(decided, refusalOf('GeoBlockedError', decided, { country }))
  }
  trail.add({ rule: 'geo', outcome: 'pass', facts: { because: 'allowed', country } })
}

/** Returns whether the address is one of those held to the tighter limit. */
export function judgeReputation(trail: Trail, { clientIp }: Subject, reputation: Reputation): boolean {
  const rule = 'ip_reputation'
  if (clientIp === null) {
    trail.add({ rule, outcome: 'skip', facts: { because: 'no_client_ip' } })
    return false
  }
  const standing = reputation.classify(clientIp)
  const facts = listingOf(standing)
  if (standing.treatment === 'refuse') {
    const decided: Decided = { rule, outcome: 'refuse', facts }
    trail.refuse(decided, refusalOf('IpReputationBlockedError', decided))
  }
  trail.add({ rule, outcome: 'pass', facts })
  return standing.treatment === 'flag'
}

export function orderFor(
  subject: Subject,
  unreachable: ReadonlySet<ChannelName>,
  providers: Providers,
): Order {
  const { app, recipientType, country, isFixedLine } = subject
  const hasProvider = (channel: ChannelName) => providers.usable(app.companyId, channel, country).length > 0
  return effectiveOrder(app.settings, { recipientType, country, isFixedLine, unreachable }, hasProvider)
}

export const factsOfOrder = ({ usable, leftOut }: Order) => ({ order: [...usable], left_out: [...leftOut] })

export function bestProvider(subject: Subject, channel: ChannelName, providers: Providers): Provider {
  const [best] = providers.usable(subject.app.companyId, channel, subject.country)
  if (!best) throw new Error(`no provider for ${channel}, which the order holds`)
  return best
}

/** What the simulator carries reaches nobody and costs nobody anything. */
export const isSimulated = (subject: Subject, channel: ChannelName, providers: Providers): boolean =>
  bestProvider(subject, channel, providers).isSimulated ?? false

export function judgeLimits(
  trail: Trail,
  state: BatchState,
  subject: Subject,
  { kind, isFlagged }: { readonly kind: 'send' | 'resend'; readonly isFlagged: boolean },
): LimitCheck[] {
  const { app, recipientHash, ipKey } = subject
  const checks = limitsOf(app.settings.limits, {
    kind,
    appId: app.appId,
    recipientHash,
    ipKey,
    isFlagged,
    isHalved: subject.isDisposable && app.settings.disposable_email !== 'allow',
  })
  for (const check of checks) {
    const verdict = testLimit(check, state.limit(app.companyId, check), state.nowMs)
    if (verdict.isAllowed) continue
    const { scope } = check
    const { retryAfterSeconds: retry_after, window, used } = verdict
    const counted = check.isCharged ? 'requests' : 'wrong_codes'
    const facts = { scope, counted, used, ...window, retry_after } as const
    const decided: Decided = { rule: `limit.${scope}`, outcome: 'refuse', facts }
    trail.refuse(decided, refusalOf('RateLimitExceededError', decided, { scope, retry_after }))
  }
  const scopes = [...new Set(checks.map((check) => check.scope))]
  trail.add({ rule: 'limits', outcome: 'pass', facts: { scopes } })
  return checks
}

/** After every rule has passed: nothing of a refused call is counted or paid. */
export function charge(
  state: BatchState,
  writes: BatchWrites,
  { app: { appId, companyId }, country }: Subject,
  checks: readonly LimitCheck[],
  { paidMicros, spendMicros }: Price,
): void {
  state.account.balanceMicros -= paidMicros
  state.spend?.record(appId, country, spendMicros)
  for (const check of checks) {
    if (!check.isCharged) continue
    const next = chargeLimit(check, state.limit(companyId, check), state.nowMs)
    state.setLimit(companyId, check, next)
    writes.limits.set(stateKey(companyId, check.key), { companyId, check, state: next })
  }
}
