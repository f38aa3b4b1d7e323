/** Apps that a dozen people a day sign in to at work: colleagues have neighbouring numbers and share a client IP. */
import { digits, numberIn, served } from './countries.ts'
import { visitOf } from './honest.ts'
import type { Random } from './random.ts'
import { daySeconds, hourSeconds, natIp, type Send } from './traffic.ts'

const apps = 10
const officesOfEach = 5
const visitsADay = 12
/** People are at work from eight to six. */
const workFrom = 8 * hourSeconds
const workSeconds = 10 * hourSeconds

interface Office {
  readonly people: readonly string[]
  readonly clientIp: string
}

/** Eight to thirty people whose numbers are in one range of 1,000. */
function openOffice(random: Random, index: number): Office {
  const [home] = served
  if (!home) throw new Error('no home')
  const prefix = numberIn(random, home).slice(0, -3)
  const people = Array.from({ length: 8 + random.below(23) }, () => `${prefix}${digits(random, 3)}`)
  return { people, clientIp: natIp(index) }
}

/** Ten apps of one company. Every few days each wins a customer, whose people all sign in within two hours. */
export function tinyTraffic(random: Random, days: number): Send[] {
  const [home] = served
  if (!home) return []
  let opened = 0
  const visit = (t: number, { clientIp }: Office, recipient: string, app: string) =>
    visitOf(random, { t, recipient, country: home, label: 'tiny' }, undefined, {
      clientIp,
      isFlagged: false,
    }).map((send) => ({ ...send, app }))
  return Array.from({ length: apps }, (_, index) => `tiny ${index}`).flatMap((app) => {
    const offices = Array.from({ length: officesOfEach }, () => openOffice(random, opened++))
    return Array.from({ length: days }, (_, day) => {
      const morning = day * daySeconds + workFrom
      const usual = Array.from({ length: visitsADay }, () => {
        const office = random.pick(offices)
        return visit(morning + random.next() * workSeconds, office, random.pick(office.people), app)
      })
      if (random.below(4) > 0) return usual.flat()
      const won = openOffice(random, opened++)
      offices.push(won)
      const first = won.people.map((person) =>
        visit(morning + random.next() * 2 * hourSeconds, won, person, app),
      )
      return [...usual, ...first].flat()
    }).flat()
  })
}
