/**
 * The best that could be done in the same worlds.
 *
 *   informed   chooses by the service's own rule, and learns of each message at once what would have become of it on
 *              every account; it forgets nothing
 *   detector   knows what share of codes is typed before and after a fall, learns the outcome of each message at once, and
 *              raises one false alarm at most in a day's messages of a country (Page's test, which is close to optimal)
 */
import { judgeAccounts, type Terms } from '../../server/src/domain/routing/learned/index.ts'
import { createRandom } from '../pumping/random.ts'
import { type Send, sharesOf } from './simulate.ts'
import { type AccountName, accountNames, noon, oracle, type World } from './world.ts'

const nowhere = { ripe: 0, approved: 0, expected: 0 }
/** The most messages that a country here has in a day. */
const falseAlarmsApart = 5_400
const mostSends = 2_000

type Seen = Record<AccountName, { ripe: number; approved: number }>

/** Only until noon, because it does not expect anything to change. */
export function informed(world: World, terms: Terms, sends: readonly Send[], seed: number): readonly Send[] {
  const random = createRandom(seed)
  const seen = new Map<string, Seen>()
  return sends
    .filter(({ second }) => second < noon)
    .map((send) => {
      const { country, second } = send
      const known = seen.get(country) ?? nothingSeen()
      seen.set(country, known)
      const offer = (name: AccountName) => world.offer(name, country, second)
      const judged = judgeAccounts(
        accountNames.map((name) => ({
          providerId: name,
          priceMicros: offer(name).priceMicros,
          here: { ...known[name] },
          elsewhere: nowhere,
        })),
        terms,
      )
      for (const name of accountNames) {
        known[name].ripe++
        if (random.next() < offer(name).conversion) known[name].approved++
      }
      return { ...send, shares: sharesOf(judged) }
    })
}

const nothingSeen = (): Seen => ({
  steady: { ripe: 0, approved: 0 },
  falling: { ripe: 0, approved: 0 },
  lying: { ripe: 0, approved: 0 },
})

/** What luck alone makes of the oracle's choices. */
export function asTheOracle(
  world: World,
  terms: Terms,
  sends: readonly Send[],
  seed: number,
): readonly Send[] {
  const random = createRandom(seed)
  return sends.map((send) => {
    const account = oracle(world, send.country, send.second, terms.floor)
    const { conversion } = world.offer(account, send.country, send.second)
    return { ...send, account, isTyped: random.next() < conversion }
  })
}

/** How many sends of a country it takes to detect the fall of an account that carries `share` of them. */
export function detected(before: number, after: number, share: number, seed: number): number {
  const random = createRandom(seed)
  const [typed, lost] = [Math.log(after / before), Math.log((1 - after) / (1 - before))]
  let evidence = 0
  for (let sends = 1; sends <= mostSends; sends++) {
    if (random.next() >= share) continue
    evidence = Math.max(0, evidence + (random.next() < after ? typed : lost))
    if (evidence >= Math.log(falseAlarmsApart)) return sends
  }
  return mostSends
}
