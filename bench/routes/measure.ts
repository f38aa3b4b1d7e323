/** What a day cost for each approval, beside an oracle, fixed priority and chance; and how quickly it left what fell. */
import { type Send, simulate } from './simulate.ts'
import { type AccountName, accountNames, drawWorld, evening, noon, oracle, type World } from './world.ts'

export const terms = { floor: 0.9, trying: 0.1 }
const learnt = 500
/** A route counts as left when it does not lead for as many sends. */
const settled = 40
/** While it is being found out that something fell, the floor cannot be held. */
const noticed = 60
const windowSize = 200

export interface Day {
  /** Cost of an approval beside the oracle's: 1.05 is five percent more. */
  readonly learned: number
  readonly priority: number
  readonly chance: number
  /** The same from the first send on, and after noon. */
  readonly fromTheStart: number
  readonly afterNoon: number
  /** Sends of each country after noon until the fallen account led no more. */
  readonly left: readonly number[]
  /** Sends of each country after six until it led again, where it should. */
  readonly found: readonly number[]
  /** The lowest conversion of any 200 sends in a row, beside the best account's. */
  readonly lowest: number
  /** The share of sends that went to accounts under the floor. */
  readonly under: number
}

export function measureDay(seed: number, every: number): Day {
  const world = drawWorld(seed)
  const sends = simulate(world, terms, every)
  const ready = sends.filter(({ index, second }) => index >= learnt && second < noon)
  const late = sends.filter(({ index, second }) => index >= learnt && second >= noon)
  return {
    learned: beside(world, ready, ({ account }) => [account]),
    priority: beside(world, ready, () => ['steady']),
    chance: beside(world, ready, () => accountNames),
    fromTheStart: beside(world, sends, ({ account }) => [account]),
    afterNoon: beside(world, late, ({ account }) => [account]),
    left: changes(world, sends, noon, (led) => led !== 'falling'),
    found: changes(world, sends, evening, (led) => led === 'falling'),
    lowest: lowest(world, sends),
    under: underFloor(
      world,
      sends.filter(({ index, second }) => index >= learnt && second < noon),
    ),
  }
}

type Choice = (send: Send) => readonly AccountName[]

/** With what was to be expected of each choice, so that luck plays no part. */
function beside(world: World, sends: readonly Send[], choice: Choice): number {
  const costOf = (choose: Choice) => {
    let cost = 0
    let approvals = 0
    for (const send of sends) {
      const offers = choose(send).map((name) => world.offer(name, send.country, send.second))
      for (const { priceMicros, conversion } of offers) {
        cost += priceMicros / offers.length
        approvals += conversion / offers.length
      }
    }
    return cost / approvals
  }
  const knows: Choice = ({ country, second }) => [oracle(world, country, second, terms.floor)]
  return costOf(choice) / costOf(knows)
}

/** Where the oracle changes at this second: how many sends until the leader did, and stayed so. */
function changes(
  world: World,
  sends: readonly Send[],
  second: number,
  isChanged: (leader: AccountName) => boolean,
): number[] {
  return world.countries.flatMap((country) => {
    const before = oracle(world, country, second - 1, terms.floor)
    const then = oracle(world, country, second, terms.floor)
    if (isChanged(before) || !isChanged(then)) return []
    const own = sends.filter((send) => send.country === country)
    const led = own.filter((send) => send.second < second).at(-1)?.leader
    // What did not lead need not be left.
    if (!led || isChanged(led)) return []
    const after = own.filter((send) => send.second >= second)
    const at = after.findIndex((_, index) =>
      after.slice(index, index + settled).every(({ leader }) => isChanged(leader)),
    )
    return [at === -1 ? after.length : at]
  })
}

/** Over every 200 sends in a row, but for those in which a fall is being noticed. */
function lowest(world: World, sends: readonly Send[]): number {
  return Math.min(...world.countries.map((country) => lowestOf(world, country, sends)))
}

function lowestOf(world: World, country: string, sends: readonly Send[]): number {
  const own = sends.filter((send) => send.country === country && send.index >= learnt)
  const fallen = own.findIndex(({ second }) => second >= noon)
  const steady = own.filter((_, index) => index < fallen || index >= fallen + noticed)
  const had = steady.map(({ account, second }) => world.offer(account, country, second).conversion)
  const best = steady.map(({ second }) => bestOf(world, country, second))
  let [sum, sumOfBest, least] = [0, 0, 1]
  for (const [index, conversion] of had.entries()) {
    sum += conversion - (had[index - windowSize] ?? 0)
    sumOfBest += (best[index] ?? 0) - (best[index - windowSize] ?? 0)
    if (index >= windowSize - 1) least = Math.min(least, sum / sumOfBest)
  }
  return least
}

const bestOf = (world: World, country: string, second: number) =>
  Math.max(...accountNames.map((name) => world.offer(name, country, second).conversion))

function underFloor(world: World, sends: readonly Send[]): number {
  const isUnder = ({ account, country, second }: Send) =>
    world.offer(account, country, second).conversion < terms.floor * bestOf(world, country, second)
  return sends.filter(isUnder).length / sends.length
}
