import { useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { Page } from '#components/ui/page.tsx'
import { useCompany } from '#lib/app.ts'
import { useAllAudit, useCompanyAudit } from './api/audit.ts'
import { AuditTrail } from './components/audit-trail.tsx'
import { PersonFilter } from './components/person-filter.tsx'

export function CompanyAuditPage() {
  const { companyId } = useParams({ from: '/shell/c/$companyId/audit' })
  const { person } = useSearch({ from: '/shell/c/$companyId/audit' })
  const navigate = useNavigate({ from: '/c/$companyId/audit' })
  const company = useCompany(companyId)
  const query = useCompanyAudit(companyId, person)
  return (
    <Page
      title="Audit trail"
      description={`Who changed what in ${company.name}, newest first.`}
      actions={
        <PersonFilter
          companyId={companyId}
          entries={query.data?.pages.flatMap(({ entries }) => entries) ?? []}
          person={person}
          onChange={(next) => void navigate({ to: '.', search: { person: next }, replace: true })}
        />
      }
    >
      <AuditTrail query={query} />
    </Page>
  )
}

export function OperatorAuditPage() {
  const query = useAllAudit()
  return (
    <Page
      title="All changes"
      description="Who changed what, in every company and in the installation itself."
    >
      <AuditTrail query={query} showsCompany />
    </Page>
  )
}
