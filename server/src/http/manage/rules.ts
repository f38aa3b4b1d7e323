/** Routes for an app's own rules: parse, call, present. */
import { noSuch } from '../../domain/answers/index.ts'
import { type BacktestDependencies, backtestRules } from '../../domain/insight/index.ts'
import { namePeople } from '../../domain/members/index.ts'
import {
  getRules,
  listRuleRevisions,
  parseRevision,
  putRules,
  type RuleRevision,
  restoreRules,
} from '../../domain/tenancy/index.ts'
import type { PersonId } from '../../platform/ids.ts'
import { createTurns } from '../../platform/turns.ts'
import { personOf } from '../principal.ts'
import { type Route, route } from '../route.ts'
import type { CompanyDependencies } from './companies.ts'

/**
 * A backtest keeps this process and PostgreSQL busy for up to eight seconds, in which everybody's calls are slower. So
 * a company has one at a time, and a node two; a few others wait.
 */
const atOnce = { ofCompany: 1, ofNode: 2 }
const mostWaiting = 8

export type RuleDependencies = Pick<CompanyDependencies, 'clock' | 'forget'> & BacktestDependencies

export function ruleRoutes(dependencies: RuleDependencies): Route[] {
  const takeTurnOfCompany = createTurns({ maxAtOnce: atOnce.ofCompany, maxWaiting: mostWaiting })
  const takeTurnOfNode = createTurns({ maxAtOnce: atOnce.ofNode, maxWaiting: mostWaiting })
  return [
    route('getRules', async ({ scope }) => rulesAnswer(await getRules(dependencies, scope.app))),
    route('putRules', async ({ scope, body }, actor) => {
      const put = await putRules(dependencies, scope.app, body, personOf(actor))
      dependencies.forget()
      return rulesAnswer(put)
    }),
    route('listRuleRevisions', async ({ scope, query: { cursor = null, limit } }) => {
      const { rows, nextCursor } = await listRuleRevisions(dependencies, scope.app, { cursor, limit })
      const emails = await namePeople(dependencies, rows)
      return {
        revisions: rows.map((revision) => revisionAnswer(revision, emails)),
        next_cursor: nextCursor,
      }
    }),
    route('restoreRuleRevision', async ({ scope, params }, actor, once) => {
      const revision = parseRevision(params.revision ?? '')
      if (revision === null) throw noSuch('revision')
      const restored = await once(async (database) =>
        rulesAnswer(await restoreRules({ database }, scope.app, revision, personOf(actor))),
      )
      dependencies.forget()
      return restored
    }),
    route('backtestRules', ({ scope, role, body, isGone }) => {
      const request = { ...body, seesNumbers: role !== 'viewer', isGone }
      return takeTurnOfCompany(scope.app.companyId, () =>
        takeTurnOfNode('all', () => backtestRules(dependencies, scope.app, request)),
      )
    }),
  ]
}

const rulesAnswer = ({ revision, rules }: Pick<RuleRevision, 'revision' | 'rules'>) => ({
  revision,
  rules: [...rules],
})

const revisionAnswer = (
  { personId, restoredFrom, createdAt, ...revision }: RuleRevision,
  emails: ReadonlyMap<PersonId, string>,
) => ({
  ...rulesAnswer(revision),
  created_at: createdAt.toISOString(),
  by: {
    actor: personId === null ? ('token' as const) : ('person' as const),
    person_id: personId,
    email: (personId && emails.get(personId)) ?? null,
  },
  restored_from: restoredFrom,
})
