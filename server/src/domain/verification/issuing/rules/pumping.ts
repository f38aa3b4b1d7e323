/**
 * The guard against pumped traffic.
 *
 * An attacker earns only on text messages, since the operator of the numbers shares what it is paid for each. So only
 * text messages are held back, and a person who cannot have one is offered the WhatsApp link, if the order has it.
 */
import type { AppSettings, ChannelName, Decided } from '@countersign/contract'
import { parseMicros, priceOf } from '../../../billing/index.ts'
import { type Assessment, evidenceOf, isSafe, repeatEvidenceOf } from '../../../guard/index.ts'
import { channelOf, isSimulated, linkStep } from '../route.ts'
import { type Found, type Rule, type RuleOutcome, refuse, routeOf, type Step, type Wants } from '../rule.ts'

const earning: ReadonlySet<ChannelName> = new Set(['sms'])

export const judgePumping: Rule = (subject, { batch, found }, { providers, prices }) => {
  const { mode, safe_prefixes, declared_countries, declared_conversion, learning_budget } =
    subject.app.settings.pumping
  const { number, spellings, country, ipKey, recipientHash, app } = subject
  const { pumping, nowMs } = batch
  const { step } = routeOf(found)
  const channel = channelOf(step)
  if (subject.resend && step.kind !== 'message') return null
  if (mode === 'off') return passed('skip', 'off')
  if (!earning.has(channel) || number === null || country === null) return passed('skip', 'unpaid_channel')
  if (!pumping) return passed('skip', 'unread')
  if (isSafe(spellings, safe_prefixes)) return passed('pass', 'safe_prefix')
  const isFree = isSimulated(subject, channel, providers)
  const recipient = recipientHash.toString('base64')
  const priceMicros = priceOf(prices, channel, country)
  const scouts = scoutsFor(learning_budget, priceMicros)
  const assessment = pumping.assess(app.appId, recipient, pumping.placeOf(app.appId, number, ipKey), {
    isFlagged: found.isFlagged,
    declaredCountries: declared_countries,
    declaredConversion: declared_conversion,
    mostSends: app.settings.max_sends,
    nowMs,
    learns: mode === 'auto' && !isFree,
    isSimulated: isFree,
    ...(scouts === null ? {} : { scoutsAnHour: scouts }),
  })
  const wants = { pumping: { recipient, assessment, isRerouted: false } }
  const held = evidenceIn(assessment, nowMs)
  if (!held) return { ...passed('pass', whyPassed(assessment)), wants }
  // What the person gets instead of a message that is held back.
  const link = linkStep(subject, routeOf(found).order.usable)
  const facts = {
    ...held.evidence,
    excuse: excuseOf(mode, isFree) ?? excuseIn(found) ?? (held.isWatched ? 'learning' : null),
    otherwise: link ? 'reroute' : 'refuse',
  } as const
  const keeps = { held: { recipient, assessment, isWatched: facts.excuse !== null, priceMicros } }
  if (facts.excuse) return { decided: { rule: 'pumping', outcome: 'pass', facts }, wants, keeps }
  return { ...heldBack(facts, found, link, { recipient, assessment, isRerouted: true }), keeps }
}

/** What holds the message back, or would if the app were not still learning. */
function evidenceIn(assessment: Assessment, nowMs: number) {
  if (assessment.kind === 'repeated')
    return { evidence: repeatEvidenceOf(assessment, nowMs), isWatched: false }
  const { stop, watched } = assessment.verdict
  const held = stop ?? watched
  return held ? { evidence: evidenceOf(held, nowMs), isWatched: stop === null } : null
}

/** How many messages the hourly budget pays for; null without a budget or a price. */
function scoutsFor(budget: string | null, priceMicros: bigint): number | null {
  if (budget === null || priceMicros <= 0n) return null
  return Math.min(mostScouts, Math.max(1, Number(parseMicros(budget) / priceMicros)))
}
/** More than one scout a minute would be as good as an open place. */
const mostScouts = 60

type Facts = Extract<Decided, { rule: 'pumping' }>['facts']
type Held = Extract<Facts, { because: 'stopped' | 'repeated' }>
type Code = Exclude<Facts['because'], Held['because']>

const passed = (outcome: 'pass' | 'skip', because: Code): RuleOutcome => ({
  decided: { rule: 'pumping', outcome, facts: { because } },
})

function excuseOf(mode: AppSettings['pumping']['mode'], isFree: boolean) {
  if (mode === 'monitor') return 'monitored'
  return mode === 'auto' && isFree ? 'simulated' : null
}

function excuseIn({ isAllowed, demands }: Found) {
  if (isAllowed) return 'exception'
  return demands.isExcused ? 'own_rule' : null
}

function whyPassed(assessment: Assessment): Code {
  if (assessment.kind === 'repeated') return 'open'
  const { scouts, lanes } = assessment.verdict
  if (lanes.length > 0) return 'beside'
  if (scouts.length > 0) return 'scout'
  return assessment.isKnown ? 'trusted' : 'open'
}

function heldBack(
  facts: Held,
  found: Found,
  link: Step | null,
  pumping: NonNullable<Wants['pumping']>,
): RuleOutcome {
  if (!link) {
    const details = { scope: 'pumping', retry_after: facts.retry_after }
    return refuse({ rule: 'pumping', outcome: 'refuse', facts }, 'RateLimitExceededError', details)
  }
  return {
    decided: { rule: 'pumping', outcome: 'reroute', facts },
    found: { route: { ...routeOf(found), step: link } },
    wants: { pumping },
  }
}
