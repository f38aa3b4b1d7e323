/**
 * What a message costs: whether the app may spend it, and whether the company can pay. Asked last.
 *
 * Companies that are not metered are held to the caps too: whoever runs the service pays the carriers all the
 * same.
 */
import { AppError, type ChannelName } from '@countersign/contract'
import { floorOf, formatMicros, judgeCaps, priceOf, type Standing } from '../billing/index.ts'
import type { BatchState } from './batch.ts'
import { isSimulated, type JudgeContext, type Subject } from './judge.ts'
import type { Trail } from './trail.ts'

export interface Price {
  /** What the price book asks. */
  readonly spendMicros: bigint
  /** What the company is charged of it: nothing where it is not metered. */
  readonly paidMicros: bigint
}

/** `channel` null: a link, which costs nothing until a message is sent. */
export function judgePrice(
  trail: Trail,
  state: BatchState,
  context: JudgeContext,
  subject: Subject,
  channel: ChannelName | null,
): Price {
  if (channel === null) {
    trail.skip('spend', 'A link costs nothing.')
    trail.pass('balance', 'A link costs nothing until a message is sent.')
    return { spendMicros: 0n, paidMicros: 0n }
  }
  const spendMicros = priceOf(context.prices, channel, subject.country)
  judgeSpend(trail, state, context, subject, channel, spendMicros)
  return { spendMicros, paidMicros: judgeBalance(trail, state, subject, spendMicros) }
}

function judgeSpend(
  trail: Trail,
  { spend, nowMs }: BatchState,
  { prices, providers }: JudgeContext,
  subject: Subject,
  channel: ChannelName,
  priceMicros: bigint,
): void {
  const { country, app } = subject
  if (priceMicros === 0n || !spend) {
    const unread = 'The caps could not be asked, so the message is not held back.'
    trail.skip('spend', priceMicros === 0n ? 'This costs nothing.' : unread)
    return
  }
  const caps = app.settings.spend_caps
  const floorMicros = floorOf(prices)
  const standings = judgeCaps(spend, { appId: app.appId, caps, country, priceMicros, floorMicros, nowMs })
  const evidence = `${standings.map((standing) => describe(standing, country)).join(', ')}.`
  const over = standings.filter((standing) => standing.isOver)
  // What the simulator carries costs nobody anything: only a cap that somebody set holds it back.
  const isFree = isSimulated(subject, channel, providers)
  const holding = over.filter(({ cap }) => !isFree || cap.source === 'set')
  // Of two, the one that lasts longer: after its wait neither stands in the way.
  const [longest] = holding.sort((left, right) => right.untilMs - left.untilMs)
  if (longest) trail.refuse('spend', refusalOf(longest, country, nowMs), evidence)
  trail.pass('spend', over.length > 0 ? `Simulated, else refused. ${evidence}` : evidence)
}

function describe({ period, cap, countedMicros }: Standing, country: string | null): string {
  const of = cap.micros === null ? 'without a cap' : `of ${formatMicros(cap.micros)}`
  const counted = `${formatMicros(countedMicros)} ${of}`
  return period === 'day' ? `${counted} ${placeOf(country)} today` : `${counted} unverified in this hour`
}

const placeOf = (country: string | null) => (country === null ? 'for email addresses' : `for ${country}`)

/** Without amounts, which are the app's and not the caller's device's. */
function refusalOf({ period, untilMs }: Standing, country: string | null, nowMs: number): AppError {
  const seconds = Math.max(1, Math.ceil((untilMs - nowMs) / 1000))
  const what =
    period === 'day'
      ? `what this app may spend in a day ${placeOf(country)}`
      : 'what this app may spend in an hour on verifications that are not approved'
  const message = `This would be more than ${what} (scope spend). Try again in ${seconds} s.`
  const cap = period === 'day' ? 'day_by_country' : 'hour_unverified'
  return new AppError('RateLimitExceededError', message, { scope: 'spend', retry_after: seconds, cap })
}

function judgeBalance(trail: Trail, state: BatchState, { app }: Subject, priceMicros: bigint): bigint {
  const account = state.account(app.companyId)
  if (!account.isMetered) {
    trail.pass('balance', 'The company is not metered.')
    return 0n
  }
  const price = formatMicros(priceMicros)
  if (account.balanceMicros < priceMicros) {
    const message = `The balance is not enough: this message costs ${price}.`
    trail.refuse('balance', new AppError('InsufficientFundsError', message, { price }))
  }
  trail.pass('balance', `Price ${price}.`)
  return priceMicros
}
