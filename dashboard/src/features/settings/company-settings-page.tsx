import { useParams } from '@tanstack/react-router'
import { CopyText } from '#components/ui/copy.tsx'
import { Page } from '#components/ui/page.tsx'
import { useCompany } from '#lib/app.ts'
import { CloseCard } from './components/close-card.tsx'
import { CompanyCard } from './components/company-card.tsx'
import { EraseCard } from './components/erase-card.tsx'
import { SignInCard } from './components/sign-in-card.tsx'

export function CompanySettingsPage() {
  const { companyId } = useParams({ from: '/shell/c/$companyId/settings' })
  const company = useCompany(companyId)
  return (
    <Page
      title="Company settings"
      description={<CopyText text={company.company_id} label="Copy the company id" className="px-0" />}
    >
      <CompanyCard key={companyId} company={company} />
      <SignInCard key={`sign-in ${companyId}`} companyId={companyId} />
      <EraseCard companyId={companyId} />
      <CloseCard company={company} />
    </Page>
  )
}
