/** What a day cost for each approval, beside an oracle, fixed priority and chance; and how quickly it left what fell. */
import { type Send, simulate } from './simulate.ts'
import { type AccountName, accountNames, drawWorld, evening, noon, oracle, type World } from './world.ts'

const terms = { floor: 0.9, trying: 0.1 }
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
  /** The same from the first send to midnight, with the fall and what came after. */
  readonly fromTheStart: number
  readonly priorityWhole: number
  /** Sends of each country after noon until the fallen account led no more. */
  readonly left: readonly number[]
  /** Sends of each country after six until it led again, where it should; all of them where it did not. */
  readonly found: readonly number[]
  /** Beside the best account's: of all countries, of the worst, and of any 200 sends in a row. */
  readonly conversion: number
  readonly worstCountry: number
  readonly lowest: number
}

export function measureDay(seed: number, every: number): Day {
  const world = drawWorld(seed)
  const sends = simulate(world, terms, every)
  const ready = sends.filter(({ index, second }) => index >= learnt && second < noon)
  const steady = world.countries.map((country) => steadyOf(country, sends))
  return {
    learned: beside(world, ready, ({ account }) => [account]),
    priority: beside(world, ready, () => ['steady']),
    chance: beside(world, ready, () => accountNames),
    fromTheStart: beside(world, sends, ({ account }) => [account]),
    priorityWhole: beside(world, sends, () => ['steady']),
    left: changes(world, sends, noon, (led) => led !== 'falling'),
    found: changes(world, sends, evening, (led) => led === 'falling'),
    conversion: shareOfBest(world, steady.flat()),
    worstCountry: Math.min(...steady.map((own) => shareOfBest(world, own))),
    lowest: Math.min(...steady.map((own) => lowestOf(world, own))),
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

/** Of one country, but for those sends in which a fall is being noticed. */
function steadyOf(country: string, sends: readonly Send[]): readonly Send[] {
  const own = sends.filter((send) => send.country === country && send.index >= learnt)
  const fallen = own.findIndex(({ second }) => second >= noon)
  return fallen === -1 ? own : own.filter((_, index) => index < fallen || index >= fallen + noticed)
}

const had = (world: World, { account, country, second }: Send) =>
  world.offer(account, country, second).conversion
const best = (world: World, { country, second }: Send) =>
  Math.max(...accountNames.map((name) => world.offer(name, country, second).conversion))

function shareOfBest(world: World, sends: readonly Send[]): number {
  const sum = (of: typeof had) => sends.reduce((total, send) => total + of(world, send), 0)
  return sends.length === 0 ? 1 : sum(had) / sum(best)
}

function lowestOf(world: World, steady: readonly Send[]): number {
  const sums = steady.map((send) => [had(world, send), best(world, send)] as const)
  let [sum, sumOfBest, least] = [0, 0, 1]
  for (const [index, [one, most]] of sums.entries()) {
    const [oldest, oldestBest] = sums[index - windowSize] ?? [0, 0]
    sum += one - oldest
    sumOfBest += most - oldestBest
    if (index >= windowSize - 1) least = Math.min(least, sum / sumOfBest)
  }
  return least
}
