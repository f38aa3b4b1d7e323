/** What limits the rate, computed from what a cycle costs here. */
import { cpus } from 'node:os'
import type { Row } from '../scenario.ts'
import { shortNumber } from './figure.ts'

const microseconds = 1_000_000

export function limitsText(rows: readonly Row[]): string {
  const find = (id: string) => rows.find((row) => row.id === id)
  const cycle = find('cycle')
  const costs = cycle?.costs
  if (!cycle || !costs?.serviceUs || !costs.databaseUs)
    return 'The run had no cycle, so there is nothing to compute from.'
  const whole = costs.serviceUs + costs.databaseUs + costs.callersUs
  const share = (part: number) => `${Math.round((100 * part) / whole)} %`
  const most = (cpus().length * microseconds) / whole
  return [
    `A cycle took ${shortNumber(whole)} µs of this machine’s processor: ${share(costs.serviceUs)} of it the service, ${share(costs.databaseUs)} PostgreSQL, ${share(costs.callersUs)} callers, carrier and endpoint.`,
    `${cpus().length} cores that do nothing else come to ${shortNumber(most)} cycles a second at that, and the run came to ${shortNumber(cycle.value)}.`,
    `One process of the service, with PostgreSQL and callers elsewhere, would come to ${shortNumber(microseconds / costs.serviceUs)}, and one core of PostgreSQL to ${shortNumber(microseconds / costs.databaseUs)}.`,
    ...guardText(find),
  ].join(' ')
}

/** How much more a send costs with the guard on. */
function guardText(find: (id: string) => Row | undefined): string[] {
  const both = (id: string) => {
    const costs = find(id)?.costs
    return costs?.serviceUs && costs.databaseUs ? costs.serviceUs + costs.databaseUs : null
  }
  const [off, acts] = [both('send-off'), both('send-auto')]
  if (off === null || acts === null) return []
  return [`Of what a send costs with its message, ${Math.round((100 * (acts - off)) / acts)} % is the guard.`]
}
