/** Asks rules about recorded sends, one after the other, as if the rules had been on. */
import type { AppSettings, ChannelName, PriceBook } from '@countersign/contract'
import { priceOf } from '../../billing/index.ts'
import { chargeLimit, type LimitRow, type LimitState } from '../../guard/index.ts'
import {
  type CompiledRules,
  type Destination,
  type Judged,
  judgeOwn,
  noOwnDemands,
  type OwnDemands,
  type World,
} from '../../verification/index.ts'
import { type Recorded, type Went, wentOf } from './recorded.ts'

export interface ReplayContext {
  readonly appId: string
  readonly settings: AppSettings
  readonly prices: PriceBook
  /** E.164; undefined if it is not known. */
  readonly numberOf: (recorded: Recorded) => string | null | undefined
  /** The country of an address, by today's databases. */
  readonly countryOf: (address: string) => string | null
  /** When each approved recipient was first approved, by the hash as base64. */
  readonly firstApprovals: ReadonlyMap<string, number>
}

export interface Effect {
  readonly judged: Judged
  /** Null if the send would have ended as it did. */
  readonly would: Would | null
  /** Below zero if more would have been spent. */
  readonly savedMicros: bigint
}

export interface Would {
  readonly what: 'refuse' | 'hold' | 'reroute' | 'pass'
  /** The rule that decides; null if the rules of that time refused what none refuses now. */
  readonly rule: string | null
}

export class Replay {
  readonly #compiled: CompiledRules
  readonly #limits = new Map<string, LimitState>()

  constructor(compiled: CompiledRules) {
    this.#compiled = compiled
  }

  look(recorded: Recorded, context: ReplayContext): Effect {
    const world = this.#worldOf(recorded, context)
    const judged = judgeOwn(this.#compiled, world)
    const would = wouldBe(recorded, judged, world)
    for (const { row, state } of judged.kept) this.#limits.set(nameOf(row), state)
    if (isSent(recorded, would)) this.#count(judged, recorded.atMs)
    return { judged, would, savedMicros: savedOf(recorded, would, world.goesTo(judged.demands)) }
  }

  #count({ counted }: Judged, atMs: number): void {
    for (const row of counted) {
      this.#limits.set(nameOf(row), chargeLimit(row, this.#limits.get(nameOf(row)) ?? [], atMs))
    }
  }

  #worldOf(recorded: Recorded, context: ReplayContext): World {
    const { recipientHash, recipientType, atMs } = recorded
    const went = wentOf(recorded)
    return {
      // Erased recipients cannot be told apart, so each of their sends stands for itself.
      person: {
        appId: context.appId,
        recipientHash: recipientHash ?? Buffer.from(recorded.position),
        ipKey: recorded.ipKey,
      },
      nowMs: atMs,
      facts: {
        country: recorded.country,
        recipientType,
        emailDomain: domainOf(recorded),
        keyKind: recorded.keyKind ?? undefined,
        number: () => context.numberOf(recorded),
        ipClass: () => listedAs(recorded),
        ipCountry: () => ipCountryOf(recorded, context),
        isKnown: () => isKnown(recorded, context),
      },
      goesTo: (demands) => went && destinationOf(recorded, went, demands, context),
      stateOf: (row) => this.#limits.get(nameOf(row)) ?? [],
    }
  }
}

const nameOf = ({ key }: LimitRow) => key.toString('latin1')

function listedAs({ reputation }: Recorded) {
  if (!reputation) return undefined
  if (reputation.because === 'listed') return reputation.class
  return reputation.because === 'no_client_ip' ? 'none' : 'unlisted'
}

/** By today's databases, since networks seldom move. Not known for a recipient who was erased. */
function ipCountryOf({ recipientHash, clientIp }: Recorded, { countryOf }: ReplayContext) {
  return recipientHash ? clientIp && countryOf(clientIp) : undefined
}

/** The domain is part of the masked recipient; one that was erased has none. */
function domainOf({ recipientType, maskedRecipient }: Recorded): string | null | undefined {
  if (recipientType === 'phone') return null
  const at = maskedRecipient.lastIndexOf('@')
  return at < 0 ? undefined : maskedRecipient.slice(at + 1)
}

function isKnown({ recipientHash, atMs }: Recorded, { firstApprovals }: ReplayContext): boolean | undefined {
  if (!recipientHash) return undefined
  const first = firstApprovals.get(recipientHash.toString('base64'))
  return first !== undefined && first < atMs
}

/** The destination as far as the record tells: the recorded channel if it is left, otherwise the first that is. */
function destinationOf(
  { country, priceMicros, kind }: Recorded,
  { channel, isLink, order }: Went,
  { channels, needsLink }: OwnDemands,
  { settings, prices }: ReplayContext,
): Destination | null {
  const isLeft = (each: ChannelName) => channels === null || channels.has(each)
  const mode = settings.channels.whatsapp.mode
  const inOrder = kind === 'send' ? sortedBy(order, settings, country).filter(isLeft) : order.filter(isLeft)
  const next = isLeft(channel) ? channel : inOrder[0]
  if (!next) return null
  const isStill = next === channel
  const nextIsLink = isStill ? isLink : next === 'whatsapp' && mode !== 'template'
  if (needsLink && !nextIsLink) {
    return mode !== 'template' && inOrder.includes('whatsapp')
      ? { channel: 'whatsapp', isLink: true, priceMicros: 0n }
      : null
  }
  if (nextIsLink) return { channel: next, isLink: true, priceMicros: 0n }
  const price = (isStill ? priceMicros : null) ?? priceOf(prices, next, country)
  return { channel: next, isLink: false, priceMicros: price }
}

function sortedBy(
  channels: readonly ChannelName[],
  { routing }: AppSettings,
  country: string | null,
): readonly ChannelName[] {
  const configured = (country === null ? undefined : routing.countries[country]) ?? routing.default
  const rankOf = (channel: ChannelName) => {
    const index = configured.indexOf(channel)
    return index < 0 ? configured.length : index
  }
  return [...channels].sort((left, right) => rankOf(left) - rankOf(right))
}

/** Rules that do not stop a send which one of the app's own rules lets pass. */
const excusable: ReadonlySet<string> = new Set(['ip_reputation', 'pumping'])

function wouldBe({ refused }: Recorded, judged: Judged, world: World): Would | null {
  const would = wouldOf(judged, world)
  if (!refused) return would
  // A send that the app's own rules refused then counts as if it were sent: the draft takes their place.
  if (refused.rule === 'own_rule') return would ?? { what: 'pass', rule: null }
  // A rule that narrows the channels does not take back that another lets pass, unless it leaves none.
  if (would?.what === 'refuse' || !judged.demands.isExcused || !excusable.has(refused.rule)) return null
  return { what: 'pass', rule: judged.verdicts.at(-1)?.rule.name ?? null }
}

/** Whether the send goes out, and so counts for later ones. */
const isSent = ({ refused }: Recorded, would: Would | null) =>
  refused ? would?.what === 'pass' || would?.what === 'reroute' : would === null || would.what === 'reroute'

function wouldOf({ stop, demands, verdicts }: Judged, { goesTo }: World): Would | null {
  if (stop) return { what: stop.facts.effect === 'hold' ? 'hold' : 'refuse', rule: stop.rule.name }
  const before = goesTo(noOwnDemands)
  if (!before) return null
  const after = goesTo(demands)
  const mover = verdicts.findLast(({ facts }) => facts.effect === 'reroute' || facts.effect === 'refuse')
  if (!mover) return null
  if (!after) return { what: 'refuse', rule: mover.rule.name }
  return isMoved(before, after) ? { what: 'reroute', rule: mover.rule.name } : null
}

/** What was spent less what would be: a send that was refused has cost nothing, whatever refused it. */
function savedOf(recorded: Recorded, would: Would | null, goal: Destination | null | undefined): bigint {
  if (!would) return 0n
  const spentMicros = recorded.refused ? 0n : recorded.costMicros
  return spentMicros - spendingOf(recorded, would, goal)
}

function spendingOf(recorded: Recorded, { what }: Would, goal: Destination | null | undefined): bigint {
  if (what === 'refuse' || what === 'hold') return 0n
  const { costMicros, refused } = recorded
  const went = wentOf(recorded)
  const isElsewhere = what === 'reroute' || (went && goal && isMoved(went, goal))
  return isElsewhere ? (goal?.priceMicros ?? 0n) * BigInt(refused?.count ?? 1) : costMicros
}

type Way = Pick<Destination, 'channel' | 'isLink'>
const isMoved = (before: Way, after: Way) =>
  before.channel !== after.channel || before.isLink !== after.isLink
