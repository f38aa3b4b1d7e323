/**
 * The guard against pumped traffic, asked after routing and before the limits.
 *
 * An attacker earns on text messages alone: their operator shares what it is paid for each. So only those
 * are held back, and a person who cannot have one is offered the WhatsApp link, if the order has it.
 */
import { AppError, type ChannelName } from '@countersign/contract'
import type { Keyring } from '../../platform/keyring.ts'
import { type Assessment, describeStop, isSafe, type Place, placeOf, type Stop } from '../guard/index.ts'
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
  const skipped = (why: string) => {
    trail.skip('pumping', why)
    return passed
  }
  if (mode === 'off') return skipped('Off for this app.')
  if (!earning.has(channel) || number === null || country === null) {
    return skipped('Nobody earns anything on this channel.')
  }
  if (!pumping) return skipped('The guard could not be asked, so the message is not held back.')
  if (isSafe(number, safe_prefixes)) {
    trail.pass('pumping', 'A safe prefix of this app.')
    return passed
  }
  const recipient = recipientHash.toString('base64')
  const place = pumping.placeOf(number, ipKey)
  const learns = mode === 'auto' && !isSimulated
  const circumstances = { isFlagged, declaredCountries: declared_countries, nowMs, learns }
  const assessment = pumping.assess(app.appId, recipient, place, circumstances)
  const record = () => pumping.record(app.appId, recipient, assessment, nowMs)
  const { stop, watched } = assessment.kind === 'verdict' ? assessment.verdict : noStops
  const excuse = mode === 'monitor' ? 'Monitored only' : mode === 'auto' && isSimulated ? 'Simulated' : null
  if (!stop || excuse) {
    const held = stop ?? watched
    const otherwise = `else ${hasLink ? 'rerouted' : 'refused'}`
    const why =
      held && `${excuse ?? 'Learning what is usual for this app'}, ${otherwise}. ${describeStop(held)}`
    trail.pass('pumping', why ?? whyPassed(assessment))
    return { isRerouted: false, record }
  }
  if (!hasLink) return trail.refuse('pumping', refusalOf(stop, nowMs), describeStop(stop))
  trail.reroute('pumping', `${describeStop(stop)} A WhatsApp link is used instead.`)
  return { isRerouted: true, record: () => pumping.remember(app.appId, recipient) }
}

function whyPassed(assessment: Assessment): string {
  if (assessment.kind === 'trusted') return 'The app has verified this recipient before.'
  return assessment.verdict.probes.length > 0
    ? 'Let through to see whether it converts.'
    : 'No block stands in the way.'
}

/** Without the evidence, which is the app's and not the caller's device's. */
function refusalOf({ untilMs }: Stop, nowMs: number): AppError {
  const seconds = Math.max(1, Math.ceil((untilMs - nowMs) / 1000))
  const message =
    'Text messages to numbers like this one are held back, because too few codes sent there are used ' +
    `(scope pumping): try again in ${seconds} s, see the evidence with POST /routing/preview and a server key, ` +
    "or change the app's setting pumping (mode monitor or off, declared_countries, safe_prefixes)."
  return new AppError('RateLimitExceededError', message, { scope: 'pumping', retry_after: seconds })
}
