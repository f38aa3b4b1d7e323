import { useParams } from '@tanstack/react-router'
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
        <p className="text-sm text-muted">{permission.reason}</p>
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
