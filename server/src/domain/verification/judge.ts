/** The rules that sends and resends have in common, in the order in which they are asked. */
import { AppError, type ChannelName, type PriceBook } from '@countersign/contract'
import type { Keyring } from '../../platform/keyring.ts'
import { chargeLimit, type LimitCheck, limitsOf, type Reputation, testLimit } from '../guard/index.ts'
import { effectiveOrder, type Order, type Provider, type Providers } from '../routing/index.ts'
import type { App } from '../tenancy/index.ts'
import { type BatchState, type BatchWrites, stateKey } from './batch.ts'
import type { Price } from './judge-price.ts'
import type { Trail } from './trail.ts'

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
  const { disposable_email: disposable } = app.settings
  if (isDisposable && disposable === 'refuse') {
    const message = 'recipient is a disposable email address, which this app does not accept.'
    trail.refuse('recipient', new AppError('InvalidRecipientError', message))
  }
  const email = isDisposable ? `A disposable email address (${disposable}).` : 'An email address.'
  trail.pass('recipient', country ? `A phone number of ${country}.` : email)
}

export function judgeGeo(trail: Trail, { app, country }: Subject): void {
  const { mode, countries } = app.settings.geo
  if (country === null) {
    trail.skip('geo', 'An email address has no country.')
    return
  }
  if (countries.includes(country) === (mode === 'block')) {
    trail.refuse(
      'geo',
      new AppError('GeoBlockedError', `Sending to ${country} is blocked for this app.`, { country }),
    )
  }
  trail.pass('geo', `${country} is not blocked.`)
}

/** Returns whether the address is one of those held to the tighter limit. */
export function judgeReputation(trail: Trail, { clientIp }: Subject, reputation: Reputation): boolean {
  if (clientIp === null) {
    trail.skip('ip_reputation', 'No usable client_ip.')
    return false
  }
  const { treatment, why } = reputation.classify(clientIp)
  if (treatment === 'refuse') {
    const message = 'The client_ip is a known source of abuse.'
    trail.refuse('ip_reputation', new AppError('IpReputationBlockedError', message))
  }
  trail.pass('ip_reputation', why)
  return treatment === 'flag'
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

export function describeOrder(order: Order): string {
  const left = order.skipped.length > 0 ? ` Left out: ${order.skipped.join('; ')}.` : ''
  return `Order: ${order.usable.join(', ') || 'none'}.${left}`
}

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
    const seconds = verdict.retryAfterSeconds
    const message = `Too many requests (${scopeWords[scope] ?? scope}; scope ${scope}). Try again in ${seconds} s.`
    const details = { scope, retry_after: seconds }
    trail.refuse(`limit.${scope}`, new AppError('RateLimitExceededError', message, details))
  }
  trail.pass('limits', `Within ${[...new Set(checks.map((check) => check.scope))].join(', ')}.`)
  return checks
}

const scopeWords: Readonly<Record<string, string>> = {
  recipient: 'for this recipient',
  ip: 'from this client_ip',
  flagged_ip: 'from a VPN, proxy, Tor or datacenter client_ip',
  app: 'for this app',
  app_without_ip: 'for this app without a usable client_ip',
}

/** After every rule has passed: nothing of a refused call is counted or paid. */
export function charge(
  state: BatchState,
  writes: BatchWrites,
  { app: { appId, companyId }, country }: Subject,
  checks: readonly LimitCheck[],
  { paidMicros, spendMicros }: Price,
): void {
  state.account(companyId).balanceMicros -= paidMicros
  state.spend?.record(appId, country, spendMicros)
  for (const check of checks) {
    if (!check.isCharged) continue
    const next = chargeLimit(check, state.limit(companyId, check), state.nowMs)
    state.setLimit(companyId, check, next)
    writes.limits.set(stateKey(companyId, check.key), { companyId, check, state: next })
  }
}
