/**
 * Shows which statements are ready for tables that are distributed by company, as with Citus. Reads the statements that
 * a test run has recorded: `KEEP_STATEMENTS=folder npm test`, then
 * `node --import tsx server/scripts/distribution.ts folder [--list]`.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'libpg-query'
import { heldCompanies, tenantTables } from '../src/platform/tenant.ts'
import { isForEveryCompany } from '../test/harness/statements.ts'

const [folder = '', option] = process.argv.slice(2)
const ofTenants: ReadonlySet<string> = new Set(tenantTables)

const kinds = {
  nobody: 'of no company: a table that every node has, or the coordinator alone',
  one: 'of one company: one shard answers, ready as it is',
  held: 'of the companies of a batch: ready where a batch is of one shard, else split by shard',
  every: 'of every company, reads: asked of every shard, ready where it only adds up',
  everyLocking: 'of every company, takes or changes rows: to be run on each shard by itself',
  mixed: 'of a company beside a table of nobody: ready if that table is on every node',
  structure: 'of the structure: run by whoever migrates',
} as const
type Kind = keyof typeof kinds

/** All values of this key in a statement. Locking clauses are skipped, since they name tables by their aliases. */
function namesIn(node: unknown, key: string, found = new Set<string>()): Set<string> {
  if (Array.isArray(node)) for (const each of node) namesIn(each, key, found)
  else if (typeof node === 'object' && node !== null)
    for (const [name, value] of Object.entries(node)) {
      if (name === key && typeof value === 'string') found.add(value.replace(/_\d{8}$/, ''))
      if (name !== 'lockedRels') namesIn(value, key, found)
    }
  return found
}

const verbs = ['SelectStmt', 'InsertStmt', 'UpdateStmt', 'DeleteStmt']

interface Judged {
  readonly kind: Kind
  readonly tables: readonly string[]
  /** The tables that do not belong to companies. */
  readonly others: readonly string[]
}

async function judge(text: string): Promise<Judged> {
  const { stmts = [] } = await parse(text)
  const isRows = stmts.every(({ stmt }) => verbs.some((verb) => stmt && verb in stmt))
  if (!isRows) return { kind: 'structure', tables: [], others: [] }
  // Names of CTEs appear where tables do.
  const ofWith = namesIn(stmts, 'ctename')
  const tables = [...namesIn(stmts, 'relname')].filter((name) => !ofWith.has(name))
  const others = tables.filter((name) => !ofTenants.has(name))
  return { kind: kindOf(text, tables.length - others.length, others.length), tables, others }
}

function kindOf(text: string, ofTenants: number, others: number): Kind {
  if (ofTenants === 0) return 'nobody'
  if (text.includes(heldCompanies)) return 'held'
  if (isForEveryCompany(text)) {
    const changes = /\b(insert|update|delete)\b|for (no key )?update|skip locked/i.test(text)
    return changes ? 'everyLocking' : 'every'
  }
  return others > 0 ? 'mixed' : 'one'
}

/** The same statement on partitions of different days counts once. */
const texts = new Set(
  readdirSync(folder)
    .flatMap((name) => JSON.parse(readFileSync(join(folder, name), 'utf8')) as string[])
    .map((text) => text.replaceAll(/(\w)_\d{8}\b/g, '$1_20260101')),
)
const found = new Map<Kind, string[]>()
const beside = new Map<string, number>()
const byTable = new Map<string, Map<Kind, number>>()
for (const text of texts) {
  const { kind, tables, others } = await judge(text)
  found.set(kind, [...(found.get(kind) ?? []), text])
  if (kind === 'mixed' || kind === 'held')
    for (const name of others) beside.set(name, (beside.get(name) ?? 0) + 1)
  for (const name of tables.filter((each) => ofTenants.has(each))) {
    const counts = byTable.get(name) ?? new Map<Kind, number>()
    byTable.set(name, counts.set(kind, (counts.get(kind) ?? 0) + 1))
  }
}
console.log(`${texts.size} statements`)
for (const kind of Object.keys(kinds) as Kind[]) {
  const list = found.get(kind) ?? []
  console.log(`${String(list.length).padStart(5)}  ${kinds[kind]}`)
  if (option === '--list')
    for (const text of list) console.log(`         ${text.replaceAll(/\s+/g, ' ').slice(0, 160)}`)
}
const asked = [...beside].toSorted(([, one], [, other]) => other - one)
console.log(
  `tables of nobody beside a company's: ${asked.map(([name, count]) => `${name} (${count})`).join(', ')}`,
)
const shown = ['one', 'mixed', 'held', 'every', 'everyLocking'] as const
console.log(`\n| table | ${shown.join(' | ')} |\n|---|${'--:|'.repeat(shown.length)}`)
for (const [name, counts] of [...byTable].toSorted(([one], [other]) => (one < other ? -1 : 1)))
  console.log(`| ${name} | ${shown.map((kind) => counts.get(kind) ?? 0).join(' | ')} |`)
