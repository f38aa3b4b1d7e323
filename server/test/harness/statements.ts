/** Records the SQL statements of a test run, and checks that each keeps to one company's rows. */
import { subscribe } from 'node:diagnostics_channel'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'libpg-query'
import { tenantTables } from '../../src/platform/tenant.ts'

/** Each process of a run writes a file with the statements that it has seen. */
export function recordStatements(folder: string): void {
  const seen = new Set<unknown>()
  subscribe('countersign:statement', (text) => seen.add(text))
  process.on('exit', () => writeFileSync(join(folder, `${process.pid}.json`), JSON.stringify([...seen])))
}

export const isForEveryCompany = (text: string) => text.includes('/* every company: ')

type Tree = Readonly<Record<string, unknown>>
const isTree = (value: unknown): value is Tree => typeof value === 'object' && value !== null

/** The tenants' tables that a statement uses without restricting them to the company. */
export async function findUnheld(text: string): Promise<string[]> {
  const { stmts } = await parse(text)
  return unheldIn(stmts)
}

const levels = ['SelectStmt', 'UpdateStmt', 'DeleteStmt', 'InsertStmt']

function unheldIn(node: unknown): string[] {
  if (Array.isArray(node)) return node.flatMap(unheldIn)
  if (!isTree(node)) return []
  return Object.entries(node).flatMap(([name, value]) => [
    ...(levels.includes(name) && isTree(value) ? unheldAt(name, value) : []),
    // The select of an insert and both sides of a union have no `SelectStmt` wrapper in the tree.
    ...(['selectStmt', 'larg', 'rarg'].includes(name) && isTree(value) && !('SelectStmt' in value)
      ? unheldAt('SelectStmt', value)
      : []),
    ...unheldIn(value),
  ])
}

interface Relation {
  readonly table: string
  readonly alias: string
}

function unheldAt(level: string, statement: Tree): string[] {
  const target = isTree(statement.relation) ? relationOf(statement.relation) : null
  const isInsert = level === 'InsertStmt'
  const relations = [
    ...(target && !isInsert ? [target] : []),
    ...relationsIn([statement.fromClause, statement.usingClause]),
  ]
  const held = new Set(heldBy([statement.whereClause, statement.fromClause, statement.usingClause]))
  const isHeld = ({ alias }: Relation) => held.has(alias) || (held.has('') && relations.length === 1)
  const isNamed = JSON.stringify(statement.cols ?? []).includes('"company_id"')
  return [
    ...relations.filter((relation) => isTenants(relation) && !isHeld(relation)),
    ...(isInsert && target && isTenants(target) && !isNamed ? [target] : []),
  ].map(({ table, alias }) => (table === alias ? table : `${table} ${alias}`))
}

const isTenants = ({ table }: Relation) => {
  const name = table.replace(/_\d{8}$/, '')
  return tenantTables.some((each) => each === name)
}

function relationOf(node: Tree): Relation | null {
  if (typeof node.relname !== 'string') return null
  const alias = isTree(node.alias) ? String(node.alias.aliasname) : node.relname
  return { table: node.relname, alias }
}

/** Only the relations of this level; subqueries are checked by themselves. */
function relationsIn(node: unknown): Relation[] {
  if (Array.isArray(node)) return node.flatMap(relationsIn)
  if (!isTree(node)) return []
  return Object.entries(node).flatMap(([name, value]) => {
    if (name === 'RangeSubselect' || name === 'SubLink') return []
    if (name === 'RangeVar' && isTree(value)) return relationOf(value) ?? []
    return relationsIn(value)
  })
}

/** Aliases whose `company_id` is compared with `$1` or another relation's; '' for a column without an alias. */
function heldBy(node: unknown): string[] {
  if (Array.isArray(node)) return node.flatMap(heldBy)
  if (!isTree(node)) return []
  return Object.entries(node).flatMap(([name, value]) => {
    if (name === 'RangeSubselect' || name === 'SubLink' || !isTree(value)) return []
    // A condition in an "or" does not restrict the other side.
    if (name === 'BoolExpr' && value.boolop !== 'AND_EXPR') return []
    if (name === 'A_Expr' && value.kind === 'AEXPR_OP' && JSON.stringify(value.name).includes('"="')) {
      return heldByEquation(companyOf(value.lexpr), companyOf(value.rexpr))
    }
    return heldBy(value)
  })
}

function heldByEquation(left: string | null, right: string | null): string[] {
  if (left === null || right === null) return []
  return [left, right].filter((side) => side !== '$1')
}

/** The alias of a `company_id`, or `$1`; null for anything else. */
function companyOf(side: unknown): string | null {
  if (!isTree(side)) return null
  if (isTree(side.ParamRef)) return side.ParamRef.number === 1 ? '$1' : null
  if (!isTree(side.ColumnRef) || !Array.isArray(side.ColumnRef.fields)) return null
  const names = side.ColumnRef.fields.map((field) => (isTree(field?.String) ? String(field.String.sval) : ''))
  if (names.at(-1) !== 'company_id') return null
  return names.length > 1 ? (names[0] ?? '') : ''
}
