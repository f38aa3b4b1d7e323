/** One day of one world: which account carries each message, and whether its code is typed. */
import type { Judged, Terms } from '../../server/src/domain/routing/learned/index.ts'
import { Learner } from './learner.ts'
import { type AccountName, midnight, type World } from './world.ts'

/** The share of the next messages that the chooser gives to each account. */
export type Shares = Readonly<Record<AccountName, number>>

export interface Send {
  readonly country: string
  readonly second: number
  /** How many sends of its country came before it. */
  readonly index: number
  readonly account: AccountName
  /** The account that the chooser would have taken if it had not tried another. */
  readonly leader: AccountName
  readonly shares: Shares
  /** Whether the code was typed in the end. */
  readonly isTyped: boolean
}

interface Later {
  readonly do: (atMs: number) => void
}

/** `every`: the mean number of seconds between two sends of a country. */
export function simulate(world: World, terms: Terms, every: number): readonly Send[] {
  const { random } = world
  const learner = new Learner(terms)
  const later: Later[][] = Array.from({ length: midnight + 1 })
  const sends: Send[] = []
  const counts = new Map<string, number>()
  const after = (second: number, seconds: number, run: Later['do']) => {
    const at = Math.ceil(second + seconds)
    if (at > midnight) return
    const list = later[at]
    if (list) list.push({ do: run })
    else later[at] = [{ do: run }]
  }

  function send(country: string, second: number): void {
    const index = counts.get(country) ?? 0
    counts.set(country, index + 1)
    const judged = learner.judge(country, (name) => world.offer(name, country, second).priceMicros)
    const account = learner.choose(judged, random.next())
    const leader = learner.choose(
      judged.filter(({ state }) => state === 'leading'),
      0,
    )
    learner.sent(country, account, second * 1000)
    const { conversion } = world.offer(account, country, second)
    const isTyped = random.next() < conversion
    sends.push({ country, second, index, account, leader, shares: sharesOf(judged), isTyped })
    report(country, account, second, isTyped)
    if (!isTyped) return
    const seconds = world.typingSeconds()
    after(second, seconds, (atMs) => learner.approved(country, account, seconds * 1000, atMs))
  }

  /**
   * Sends the receipt. The steady account is honest. The falling one sends none while it is down, and the lying one
   * reports every message as delivered.
   */
  function report(country: string, account: AccountName, second: number, isTyped: boolean): void {
    const seconds = 2 + random.exponential(3)
    if (account === 'falling' && world.offer(account, country, second).conversion < 0.4) return
    const isDelivered = account === 'lying' || isTyped || random.next() < 0.6
    after(second, seconds, (atMs) => learner.received(country, account, isDelivered, seconds * 1000, atMs))
  }

  for (let second = 0; second <= midnight; second++) {
    for (const each of later[second] ?? []) each.do(second * 1000)
    for (const country of world.countries) {
      for (let left = random.next(); left < 1 - Math.exp(-1 / every); left = 1) send(country, second)
    }
    learner.write(second * 1000)
  }
  return sends
}

export function sharesOf(judged: readonly Judged[]): Shares {
  const of = (name: AccountName) => judged.find(({ providerId }) => providerId === name)?.share ?? 0
  return { steady: of('steady'), falling: of('falling'), lying: of('lying') }
}
