/** What hardware a rate needs, computed from what a cycle costs here. */
import type { Row } from '../scenario.ts'
import { figureOf, shortNumber } from './figure.ts'

const rates = [1, 100, 10_000]
/** The rest is kept free for peaks, upkeep, backups and the failure of a node. */
const usedShare = 0.5
const retentionDays = 30
const secondsPerDay = 86_400
const gigabyte = 1_073_741_824
/** Traffic has nights: what is stored grows with the mean rate, which is about half of the busiest hour's. */
const meanShare = 0.5

export function sizingTable(rows: readonly Row[]): string {
  const find = (id: string) => rows.find((row) => row.id === id)
  const costs = find('cycle')?.costs
  const [wal, kept] = [find('wal')?.value, find('kept')?.value]
  if (!costs?.serviceUs || !costs.databaseUs || !wal || !kept)
    return 'The run had no cycle or no counts, so there is nothing to compute from.'
  const cores = (microseconds: number, rate: number) => (microseconds * rate) / 1_000_000 / usedShare
  const whole = (value: number) => Math.max(1, Math.ceil(value))
  const lines = rates.map((rate) => {
    const [service, database] = [cores(costs.serviceUs ?? 0, rate), cores(costs.databaseUs ?? 0, rate)]
    const disk = (kept * rate * meanShare * secondsPerDay * retentionDays) / gigabyte
    return `| ${shortNumber(rate)} | ${shortNumber(service)} | ${whole(service)} | ${shortNumber(database)} | ${shortNumber((wal * rate) / 1_048_576)} MB/s | ${shortNumber(disk)} GB |`
  })
  const memory = rows.filter(({ id }) => id.startsWith('resident-')).at(-1)
  return [
    `A cycle with its event takes ${shortNumber(costs.serviceUs)} µs of the service and ${shortNumber(costs.databaseUs)} µs of PostgreSQL here. Cores are planned to be half used at the busiest second; what is kept is for ${retentionDays} days at half of that rate.`,
    '',
    '| verifications a second | cores of the service | processes | cores of PostgreSQL | write-ahead log | disk |',
    '|---:|---:|---:|---:|---:|---:|',
    ...lines,
    ...(memory ? ['', `Memory of each process: ${figureOf(memory)}, which is its ${memory.what}.`] : []),
  ].join('\n')
}
