/**
 * Which statements are ready for tables that are distributed by company, as Citus does it. Goes over what a run of the
 * tests has really asked of the database: `KEEP_STATEMENTS=folder npm test`, then
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

function tablesIn(node: unknown, found = new Set<string>()): Set<string> {
  if (Array.isArray(node)) for (const each of node) tablesIn(each, found)
  else if (typeof node === 'object' && node !== null)
    for (const [name, value] of Object.entries(node)) {
      if (name === 'relname' && typeof value === 'string') found.add(value.replace(/_\d{8}$/, ''))
      tablesIn(value, found)
    }
  return found
}

/** Names of a `with` stand where tables do. */
function namesOfWith(node: unknown, found = new Set<string>()): Set<string> {
  if (Array.isArray(node)) for (const each of node) namesOfWith(each, found)
  else if (typeof node === 'object' && node !== null)
    for (const [name, value] of Object.entries(node)) {
      if (name === 'ctename' && typeof value === 'string') found.add(value)
      namesOfWith(value, found)
    }
  return found
}

const verbs = ['SelectStmt', 'InsertStmt', 'UpdateStmt', 'DeleteStmt']

async function kindOf(text: string): Promise<{ readonly kind: Kind; readonly others: readonly string[] }> {
  const { stmts = [] } = await parse(text)
  const isRows = stmts.every(({ stmt }) => verbs.some((verb) => stmt && verb in stmt))
  if (!isRows) return { kind: 'structure', others: [] }
  const names = namesOfWith(stmts)
  const tables = [...tablesIn(stmts)].filter((name) => !names.has(name))
  const others = tables.filter((name) => !ofTenants.has(name))
  if (others.length === tables.length) return { kind: 'nobody', others }
  if (isForEveryCompany(text)) {
    const changes = /\b(insert|update|delete)\b|for (no key )?update|skip locked/i.test(text)
    return { kind: changes ? 'everyLocking' : 'every', others }
  }
  if (text.includes(heldCompanies)) return { kind: 'held', others }
  return { kind: others.length > 0 ? 'mixed' : 'one', others }
}

const texts = new Set(
  readdirSync(folder).flatMap((name) => JSON.parse(readFileSync(join(folder, name), 'utf8')) as string[]),
)
const found = new Map<Kind, string[]>()
const beside = new Map<string, number>()
for (const text of texts) {
  const { kind, others } = await kindOf(text)
  found.set(kind, [...(found.get(kind) ?? []), text])
  if (kind === 'mixed' || kind === 'held')
    for (const name of others) beside.set(name, (beside.get(name) ?? 0) + 1)
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
