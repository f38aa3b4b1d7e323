/**
 * The guard against pumped traffic, asked after routing and before the limits.
 *
 * An attacker earns on text messages alone: their operator shares what it is paid for each. So only those
 * are held back, and a person who cannot have one is offered the WhatsApp link, if the order has it.
 */
import { AppError, type ChannelName } from '@countersign/contract'
import type { Keyring } from '../../platform/keyring.ts'
import { type Assessment, evidenceOf, isSafe, type Place, placeOf } from '../guard/index.ts'
import type { BatchState } from './batch.ts'
import type { Subject } from './judge.ts'
import type { Trail } from './trail.ts'

export interface PumpingOutcome {
  readonly isRerouted: boolean
  /** To be called once every other rule has passed. */
  readonly record: () => void
}

export interface PumpingQuestion {
  readonly channel: ChannelName
  /** Whether the simulator carries the message. */
  readonly isSimulated: boolean
  readonly isFlagged: boolean
  /** Whether the order has WhatsApp, in a link mode. */
  readonly hasLink: boolean
}

const earning: ReadonlySet<ChannelName> = new Set(['sms'])
const noStops = { stop: null, watched: null }
const passed: PumpingOutcome = { isRerouted: false, record: () => {} }

/** Blocks of numbers are known to the database by a keyed hash. */
export const placeFor = (keyring: Keyring, number: string, region: string, ipKey: string | null): Place =>
  placeOf({ number, region, ipKey }, (prefix) => keyring.lookupHash('pumping', prefix).toString('base64url'))

export function judgePumping(
  trail: Trail,
  state: BatchState,
  subject: Subject,
  { channel, isSimulated, isFlagged, hasLink }: PumpingQuestion,
): PumpingOutcome {
  const { mode, safe_prefixes, declared_countries } = subject.app.settings.pumping
  const { number, country, ipKey, recipientHash, app } = subject
  const { pumping, nowMs } = state
  const rule = 'pumping'
  const skipped = (because: 'off' | 'unpaid_channel' | 'unread') => {
    trail.add({ rule, outcome: 'skip', facts: { because } })
    return passed
  }
  if (mode === 'off') return skipped('off')
  if (!earning.has(channel) || number === null || country === null) return skipped('unpaid_channel')
  if (!pumping) return skipped('unread')
  if (isSafe(number, safe_prefixes)) {
    trail.add({ rule, outcome: 'pass', facts: { because: 'safe_prefix' } })
    return passed
  }
  const recipient = recipientHash.toString('base64')
  const place = pumping.placeOf(number, ipKey)
  const learns = mode === 'auto' && !isSimulated
  const circumstances = { isFlagged, declaredCountries: declared_countries, nowMs, learns }
  const assessment = pumping.assess(app.appId, recipient, place, circumstances)
  const record = () => pumping.record(app.appId, recipient, assessment, nowMs)
  const { stop, watched } = assessment.kind === 'verdict' ? assessment.verdict : noStops
  const held = stop ?? watched
  const otherwise = hasLink ? 'reroute' : 'refuse'
  if (!held) {
    trail.add({ rule, outcome: 'pass', facts: { because: whyPassed(assessment) } })
    return { isRerouted: false, record }
  }
  const excuse = excuseOf(mode, isSimulated) ?? (stop ? null : 'learning')
  const facts = { ...evidenceOf(held, nowMs), excuse, otherwise } as const
  if (excuse) {
    trail.add({ rule, outcome: 'pass', facts })
    return { isRerouted: false, record }
  }
  if (!hasLink) return trail.refuse({ rule, outcome: 'refuse', facts }, heldBack(facts.retry_after))
  trail.add({ rule, outcome: 'reroute', facts })
  return { isRerouted: true, record: () => pumping.remember(app.appId, recipient) }
}

function excuseOf(mode: 'auto' | 'enforce' | 'monitor', isSimulated: boolean) {
  if (mode === 'monitor') return 'monitored'
  return mode === 'auto' && isSimulated ? 'simulated' : null
}

function whyPassed(assessment: Assessment): 'trusted' | 'probe' | 'open' {
  if (assessment.kind === 'trusted') return 'trusted'
  return assessment.verdict.probes.length > 0 ? 'probe' : 'open'
}

/** Without the evidence, which is the app's and not the caller's device's. */
function heldBack(seconds: number): AppError {
  const message =
    'Text messages to numbers like this one are held back, because too few codes sent there are used ' +
    `(scope pumping): try again in ${seconds} s, see the evidence with POST /routing/preview and a server key, ` +
    "or change the app's setting pumping (mode monitor or off, declared_countries, safe_prefixes)."
  return new AppError('RateLimitExceededError', message, { scope: 'pumping', retry_after: seconds })
}
