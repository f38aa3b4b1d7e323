/**
 * What each approval of a day cost, compared with an oracle, fixed priority and chance; and how quickly the chooser
 * left an account that fell.
 *
 * A choice is valued by its expected result, from the shares that it gives the accounts, because whether a code was
 * typed in the end is luck. The fields that count codes actually typed say so.
 */
import { asTheOracle, detected, informed } from './ideal.ts'
import { type Send, type Shares, simulate } from './simulate.ts'
import { accountNames, drawWorld, evening, noon, oracle, type World } from './world.ts'

const terms = { floor: 0.9, trying: 0.1 }
const learnt = 500
/** A route counts as left when it does not lead for this many sends. */
const settled = 40
/** After a fall this many sends are not held to the floor, because the fall has to be noticed first. */
const noticed = 60
const windowSize = 200
/** Draws that are only for comparison have their own seeds, so that they do not change the day. */
const otherSeeds = 1_000_000

/** How a country left the account that falls at noon, if that account carried most messages until then. */
export interface Leaving {
  /** Sends until it no longer led, and until it was only tried. */
  readonly led: number
  readonly tried: number
  /** Messages that it was given until it was only tried. */
  readonly carried: number
  /** Sends until a detector that knows what to look for would have noticed the fall. */
  readonly ideal: number
}

export interface Day {
  /** The cost of an approval as a ratio to the oracle's: 1.05 is five percent more. */
  readonly learned: number
  /** The same for `informed` of ideal.ts. */
  readonly informed: number
  readonly priority: number
  readonly chance: number
  /** The same by the codes that were actually typed, as a ratio to the expected cost of the oracle's choice. */
  readonly asItFell: number
  /** From the first send to midnight, with the fall and what came after. */
  readonly fromTheStart: number
  readonly priorityWhole: number
  readonly left: readonly Leaving[]
  /** For each country where the fallen account should lead again after six: sends until it did, or null. */
  readonly found: readonly (number | null)[]
  /** Expected approvals as a share of the best account's: in all sends, by country, and in every 200 sends in a row. */
  readonly conversion: number
  readonly countries: readonly number[]
  readonly stretches: readonly number[]
  /** The same for the first sends of a country, before anything can be known. */
  readonly early: number
  /** The stretches of `informed`, which ends at noon. */
  readonly informedStretches: readonly number[]
  /** Codes that were typed in every 200 sends in a row, and codes that would have been, had the oracle chosen. */
  readonly typed: readonly number[]
  readonly oracleTyped: readonly number[]
}

export function measureDay(seed: number, every: number): Day {
  const world = drawWorld(seed)
  const sends = simulate(world, terms, every)
  const ready = sends.filter(({ index, second }) => index >= learnt && second < noon)
  const told = informed(world, terms, sends, seed + otherSeeds)
  const steady = world.countries.map((country) => steadyOf(country, sends))
  return {
    learned: beside(world, ready, sharesOf),
    informed: beside(
      world,
      told.filter(({ index }) => index >= learnt),
      sharesOf,
    ),
    priority: beside(world, ready, () => ({ steady: 1 })),
    chance: beside(world, ready, () => evenly),
    asItFell: asItFell(world, ready),
    fromTheStart: beside(world, sends, sharesOf),
    priorityWhole: beside(world, sends, () => ({ steady: 1 })),
    left: leftAfter(world, sends, seed + otherSeeds),
    found: foundAfter(world, sends),
    conversion: shareOfBest(world, steady.flat(), had),
    countries: steady.map((own) => shareOfBest(world, own, had)),
    stretches: steady.flatMap((own) => stretchesOf(world, own, had)),
    early: shareOfBest(
      world,
      sends.filter(({ index }) => index < learnt),
      had,
    ),
    informedStretches: world.countries.flatMap((country) => stretchesOf(world, steadyOf(country, told), had)),
    typed: steady.flatMap((own) => stretchesOf(world, own, typed)),
    oracleTyped: steady.flatMap((own, place) =>
      stretchesOf(world, asTheOracle(world, terms, own, seed + otherSeeds + place), typed),
    ),
  }
}

type Choice = (send: Send) => Partial<Shares>

const sharesOf = ({ shares }: Send) => shares
const evenly = { steady: 1 / 3, falling: 1 / 3, lying: 1 / 3 }
const knows =
  (world: World): Choice =>
  ({ country, second }) => ({ [oracle(world, country, second, terms.floor)]: 1 })

/** What an approval is expected to cost: the cost of all sends by their expected approvals. */
function costOf(world: World, sends: readonly Send[], choose: Choice): number {
  let [cost, approvals] = [0, 0]
  for (const send of sends) {
    const shares = choose(send)
    for (const name of accountNames) {
      const { priceMicros, conversion } = world.offer(name, send.country, send.second)
      cost += (shares[name] ?? 0) * priceMicros
      approvals += (shares[name] ?? 0) * conversion
    }
  }
  return cost / approvals
}

const beside = (world: World, sends: readonly Send[], choose: Choice) =>
  costOf(world, sends, choose) / costOf(world, sends, knows(world))

function asItFell(world: World, sends: readonly Send[]): number {
  const cost = sends.reduce(
    (sum, { account, country, second }) => sum + world.offer(account, country, second).priceMicros,
    0,
  )
  const typed = sends.filter(({ isTyped }) => isTyped).length
  return cost / typed / costOf(world, sends, knows(world))
}

function leftAfter(world: World, sends: readonly Send[], seed: number): Leaving[] {
  return world.countries.flatMap((country, place) => {
    const own = sends.filter((send) => send.country === country)
    const last = own.filter(({ second }) => second < noon).at(-1)
    if (!last || last.shares.falling < 0.5) return []
    const after = own.filter(({ second }) => second >= noon && second < evening)
    const tried = settledAt(after, ({ shares }) => shares.falling <= terms.trying + 1e-9)
    return [
      {
        led: settledAt(after, ({ leader }) => leader !== 'falling'),
        tried,
        carried: after.slice(0, tried).filter(({ account }) => account === 'falling').length,
        ideal: detected(
          world.offer('falling', country, noon - 1).conversion,
          world.offer('falling', country, noon).conversion,
          last.shares.falling,
          seed + place,
        ),
      },
    ]
  })
}

/** The index of the first send from which `isSo` holds for `settled` sends; the number of sends if it never does. */
function settledAt(sends: readonly Send[], isSo: (send: Send) => boolean): number {
  const at = sends.findIndex((_, index) => sends.slice(index, index + settled).every(isSo))
  return at === -1 ? sends.length : at
}

function foundAfter(world: World, sends: readonly Send[]): (number | null)[] {
  return world.countries.flatMap((country) => {
    if (oracle(world, country, evening, terms.floor) !== 'falling') return []
    const after = sends.filter((send) => send.country === country && send.second >= evening)
    const at = after.findIndex(({ leader }) => leader === 'falling')
    return [at === -1 ? null : at]
  })
}

/** The sends of one country after the first ones, without those during which a fall is being noticed. */
function steadyOf(country: string, sends: readonly Send[]): readonly Send[] {
  const own = sends.filter((send) => send.country === country && send.index >= learnt)
  const fallen = own.findIndex(({ second }) => second >= noon)
  return fallen === -1 ? own : own.filter((_, index) => index < fallen || index >= fallen + noticed)
}

type Brought = (send: Send, world: World) => number

const had: Brought = ({ shares, country, second }, world) =>
  accountNames.reduce((sum, name) => sum + shares[name] * world.offer(name, country, second).conversion, 0)
const typed: Brought = ({ isTyped }) => (isTyped ? 1 : 0)
const best: Brought = ({ country, second }, world) =>
  Math.max(...accountNames.map((name) => world.offer(name, country, second).conversion))

function shareOfBest(world: World, sends: readonly Send[], brought: Brought): number {
  const sum = (of: Brought) => sends.reduce((total, send) => total + of(send, world), 0)
  return sends.length === 0 ? 1 : sum(brought) / sum(best)
}

function stretchesOf(world: World, steady: readonly Send[], brought: Brought): number[] {
  const sums = steady.map((send) => [brought(send, world), best(send, world)] as const)
  let [sum, sumOfBest] = [0, 0]
  return sums.flatMap(([one, most], index) => {
    const [oldest, oldestBest] = sums[index - windowSize] ?? [0, 0]
    sum += one - oldest
    sumOfBest += most - oldestBest
    return index >= windowSize - 1 ? [sum / sumOfBest] : []
  })
}
