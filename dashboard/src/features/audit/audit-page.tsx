import { Page } from '#components/ui/page.tsx'

export const CompanyAuditPage = () => (
  <Page title="Audit trail">
    <p className="text-muted">Not here yet.</p>
  </Page>
)
export const OperatorAuditPage = CompanyAuditPage
