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
import { personOf } from '../principal.ts'
import { type Route, route } from '../route.ts'
import type { CompanyDependencies } from './companies.ts'

export type RuleDependencies = Pick<CompanyDependencies, 'clock' | 'forget'> & BacktestDependencies

export function ruleRoutes(dependencies: RuleDependencies): Route[] {
  return [
    route('getRules', async ({ scope }) => rulesAnswer(await getRules(dependencies, scope.app))),
    route('putRules', async ({ scope, body }, actor) => {
      const put = await putRules(dependencies, scope.app, body, personOf(actor))
      dependencies.forget()
      return rulesAnswer(put)
    }),
    route('listRuleRevisions', async ({ scope, query: { cursor = null, limit } }) => {
      const { rows, nextCursor } = await listRuleRevisions(dependencies, scope.app, { cursor, limit })
      const emails = await namePeople(
        dependencies,
        rows.flatMap(({ personId }) => personId ?? []),
      )
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
    route('backtestRules', ({ scope, body }) => backtestRules(dependencies, scope.app, body)),
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
