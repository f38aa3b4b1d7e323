import { useParams } from '@tanstack/react-router'
import { Empty } from '#components/ui/empty.tsx'
import { Page } from '#components/ui/page.tsx'
import { usePermission } from '#lib/session.ts'
import { Alerts } from './components/alerts.tsx'

export function CompanyAlertsPage() {
  const { companyId } = useParams({ from: '/shell/c/$companyId/alerts' })
  const permission = usePermission(companyId, 'developer')
  return (
    <Page title="Alerts" description="Who is told when something is wrong in this company.">
      {permission.may ? (
        <Alerts owner={companyId} permission={permission} />
      ) : (
        <Empty title="Viewers do not see alerts" className="rounded-lg border bg-surface">
          Developers and owners of the company do. The overview of each app says what needs attention.
        </Empty>
      )}
    </Page>
  )
}

export function OperatorAlertsPage() {
  const permission = usePermission(null, 'operator')
  return (
    <Page
      title="Alerts"
      description="Who is told when something is wrong in the installation, or a company is in trouble."
    >
      <Alerts owner={null} permission={permission} />
    </Page>
  )
}
