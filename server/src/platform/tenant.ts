/**
 * Rows of tenants, and the second line of defence around them.
 *
 * Who may act on what is decided where a call comes in. Even if that check is wrong, a statement reaches the rows of
 * only one company: it goes through `of(companyId)`, which passes that company as `$1`, and a text that does not name
 * `company_id` is not run. A statement that has to read every company's rows says so in its text, with the reason. A
 * test reads every statement that the suite has run, and applies the same rule to each table in it.
 */
import type pg from 'pg'
import type { CompanyId } from './ids.ts'

/** The owner of rows that belong to the operator. */
export const operatorOwner = 'operator'
/** The owner of rows: a company, or the operator. */
export type Owner = CompanyId | typeof operatorOwner
/** An empty owner is that of the installation's own audit trail. */
type RowOwner = Owner | ''

export interface Statement {
  name?: string
  text: string
  values?: unknown[]
}

export type RunStatement = <Row extends pg.QueryResultRow>(
  statement: Statement,
) => Promise<pg.QueryResult<Row>>

/** One company's rows. The company is `$1` of each statement, and `values` begin with `$2`. */
export interface Tenant<Id extends RowOwner = CompanyId> {
  readonly companyId: Id
  readonly query: RunStatement
}

/**
 * Rows of several companies, in a transaction that has set which they are (`heldCompanies`). A row names its company by
 * its position in that list, so it cannot name a company outside it.
 */
export interface Held {
  /** The position of a company in the list, counted from 1. */
  readonly positionOf: (companyId: CompanyId) => number
  readonly query: RunStatement
}

/**
 * SQL for the array of companies that a transaction holds. A company that it wanted and did not get is null in its
 * position, so that no row of it is found, and none can be written.
 */
export const heldCompanies = `string_to_array(current_setting('countersign.companies'), ' ', '-')`

/** SQL that sets the held companies for the transaction, in the order of their positions. */
export const sayHeld = (companyId: string, position: string) =>
  `set_config('countersign.companies', string_agg(coalesce(${companyId}, '-'), ' ' order by ${position}), true)`

export interface Queryable {
  /** For tables that belong to no company, and for statements that say in their text why they read every company. */
  readonly query: RunStatement
  readonly of: <Id extends RowOwner>(companyId: Id) => Tenant<Id>
  /** For use in a transaction that holds these companies, with positions in this order. */
  readonly holding: (companyIds: readonly CompanyId[]) => Held
}

/** The tables whose rows belong to a company. */
export const tenantTables = [
  'alert_notices',
  'alert_settings',
  'alert_states',
  'apps',
  'audit_chains',
  'audit_entries',
  'call_error_counts',
  'call_errors',
  'change_replays',
  'companies',
  'decisions',
  'deliveries',
  'early_receipts',
  'event_attempts',
  'events',
  'exceptions',
  'figures',
  'guess_alarms',
  'guess_counts',
  'idempotency_keys',
  'invitations',
  'key_counts',
  'keys',
  'ledger',
  'limits',
  'links',
  'members',
  'provider_minutes',
  'provider_states',
  'providers',
  'pumping_acquaintances',
  'pumping_approvals',
  'pumping_history',
  'pumping_states',
  'refusal_counts',
  'refusals',
  'route_counts',
  'rule_revisions',
  'spend_counters',
  'spend_notes',
  'tokens',
  'unreachable',
  'verifications',
  'way_figures',
  'webhook_endpoints',
] as const

const ofTenants: ReadonlySet<string> = new Set(tenantTables)
/** A table's name follows one of these words. */
const table = /\b(?:from|join|into|update|using)\s+(\w+)/gi
const day = /_\d{8}$/
const reason = '/* every company: '

const isOnTenants = (text: string) =>
  [...text.matchAll(table)].some(([, name = '']) => ofTenants.has(name.replace(day, '')))

export function makeQueryable(run: RunStatement): Queryable {
  return {
    query: (statement) => run(checked(statement, isForAll, 'does not say why it looks at every company')),
    of: (companyId) => ({
      companyId,
      query: ({ values = [], ...statement }) =>
        run({
          ...checked(statement, isForOne, 'does not name its company'),
          values: [companyId, ...values],
        }),
    }),
    holding: (companyIds) => {
      const positions = new Map(companyIds.map((companyId, index) => [companyId, index + 1]))
      return {
        positionOf: (companyId) => {
          const position = positions.get(companyId)
          if (position === undefined) throw new Error('a company that the transaction does not hold')
          return position
        },
        query: (statement) =>
          run(checked(statement, isForHeld, 'does not keep to the companies that are held')),
      }
    },
  }
}

const isForAll = (text: string) => text.includes(reason) || !isOnTenants(text)
const isForHeld = (text: string) => /\bcompany_id\b/.test(text) && text.includes(heldCompanies)
const isForOne = (text: string) => /\bcompany_id\b/.test(text) && text.includes('$1')

/** Texts are few, and each is checked once. The bound is for texts made at run time, which could fill the memory. */
const mostKnown = 5_000
const known = new Map<(text: string) => boolean, Set<string>>([
  [isForAll, new Set()],
  [isForOne, new Set()],
  [isForHeld, new Set()],
])

function checked<S extends Statement>(statement: S, isGood: (text: string) => boolean, problem: string): S {
  const good = known.get(isGood)
  if (good?.has(statement.text)) return statement
  if (!isGood(statement.text)) {
    throw new Error(`a statement ${problem}: ${statement.text.trim().slice(0, 200)}`)
  }
  if (good && good.size < mostKnown) good.add(statement.text)
  return statement
}
