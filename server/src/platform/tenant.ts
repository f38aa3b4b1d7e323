/**
 * Rows of tenants, and the second line of defence around them.
 *
 * Who may act on what is decided where a call comes in. Whatever is wrong there, a statement still reaches the rows
 * of one company only: it goes through `of(companyId)`, which puts that company in as `$1`, and a text that does not
 * name `company_id` is not run. What has to look at every company's rows says so, with the reason, in its text.
 * A test reads every statement that the suite has run, and holds each table in it to the same rule.
 */
import type pg from 'pg'
import type { CompanyId } from './ids.ts'

/** Owner of what is the operator's own. */
export const operatorOwner = 'operator'
/** Whose rows: a company's, or the operator's own. */
export type Owner = CompanyId | typeof operatorOwner
/** Empty: the installation's own trail. */
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
 * Rows of several companies, in a transaction that has set which they are (`heldCompanies`). A row names its company
 * by its place among them, so it cannot name another.
 */
export interface Held {
  /** Where a company stands among them, from 1 on. */
  readonly placeOf: (companyId: CompanyId) => number
  readonly query: RunStatement
}

/**
 * SQL for the companies that a transaction holds, each at its place; null at the place of one that it wanted and did
 * not get, so that nothing of it is found, and nothing can be written for it.
 */
export const heldCompanies = `string_to_array(current_setting('countersign.companies'), ' ', '-')`

/** SQL that sets them for the transaction, in the order of their places. */
export const sayHeld = (companyId: string, place: string) =>
  `set_config('countersign.companies', string_agg(coalesce(${companyId}, '-'), ' ' order by ${place}), true)`

export interface Queryable {
  /** For what belongs to no company, and for what says in its text why it looks at all of them. */
  readonly query: RunStatement
  readonly of: <Id extends RowOwner>(companyId: Id) => Tenant<Id>
  /** Within a transaction that holds these companies; they stand in this order. */
  readonly holding: (companyIds: readonly CompanyId[]) => Held
}

/** The tables whose rows are a company's. */
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
      const places = new Map(companyIds.map((companyId, index) => [companyId, index + 1]))
      return {
        placeOf: (companyId) => {
          const place = places.get(companyId)
          if (place === undefined) throw new Error('a company that the transaction does not hold')
          return place
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

/**
 * Statement texts are few, and each is checked once; without a bound, texts made at run time could fill the
 * memory.
 */
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
