/** The audit trail, of a company or of all. */
import type { AuditAnswer } from '@countersign/contract'
import type { Page } from '../../domain/answers/index.ts'
import { type AuditEntry, listAudit, type MemberDependencies } from '../../domain/members/index.ts'
import { type Route, route } from '../route.ts'
import { pageOf } from './page.ts'

export function auditRoutes(dependencies: Pick<MemberDependencies, 'database' | 'keyring'>): Route[] {
  return [
    route('listAudit', async ({ scope, query }) =>
      auditAnswer(
        await listAudit(dependencies, scope.companyId, {
          ...pageOf(query),
          personId: query.person_id ?? null,
        }),
      ),
    ),
    route('listAllAudit', async ({ query }) =>
      auditAnswer(await listAudit(dependencies, null, pageOf(query))),
    ),
  ]
}

const auditAnswer = ({ rows, nextCursor }: Page<AuditEntry>): AuditAnswer => ({
  entries: rows.map((entry) => ({
    audit_id: entry.auditId,
    at: entry.at.toISOString(),
    actor: { kind: entry.actor, person_id: entry.personId, email: entry.email },
    action: entry.action,
    company_id: entry.companyId,
    app_id: entry.appId,
    subject: entry.subject,
    changes: { ...entry.changes },
    outcome: entry.outcome,
    error_type: entry.errorType,
    is_certain: entry.outcome !== 'unknown',
    address: entry.address,
    request_id: entry.requestId,
  })),
  next_cursor: nextCursor,
})
