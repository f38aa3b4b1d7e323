import { Navigate, useParams } from '@tanstack/react-router'
import { CopyText } from '#components/ui/copy.tsx'
import { Empty } from '#components/ui/empty.tsx'
import { Page } from '#components/ui/page.tsx'
import { Loaded } from '#components/ui/problem.tsx'
import { Skeleton } from '#components/ui/skeleton.tsx'
import { VerificationStatus } from '#components/ui/values.tsx'
import { Exception } from '#components/verifications/exception.tsx'
import { WayBack } from '#components/verifications/way-back.tsx'
import { isNotFound } from '#lib/api-error.ts'
import { useApp } from '#lib/app.ts'
import { useVerification } from './api/verifications.ts'
import { Actions } from './components/actions.tsx'
import { Deliveries } from './components/deliveries.tsx'
import { Events } from './components/events.tsx'
import { Facts } from './components/facts.tsx'
import { InShort } from './components/in-short.tsx'
import { Timeline } from './components/timeline.tsx'
import { Why } from './components/why.tsx'

export function VerificationPage() {
  const { appId, otpId } = useParams({ from: '/shell/a/$appId/verifications/$otpId' })
  const { company_id: companyId } = useApp(appId)
  const query = useVerification(otpId)
  const back = <WayBack appId={appId} />
  // It would be shown under this app's name. An id alone does not say to which app it belongs.
  if (query.data && query.data.app_id !== appId) {
    const params = { appId: query.data.app_id, otpId }
    return <Navigate to="/a/$appId/verifications/$otpId" params={params} state replace />
  }
  if (isNotFound(query.error)) {
    return (
      <Page title="Verification" back={back}>
        <Empty title="There is no such verification" className="rounded-lg border bg-surface">
          Nothing is stored under {otpId}. It may have been deleted by now.
        </Empty>
      </Page>
    )
  }
  return (
    <Page
      title={query.data?.masked_recipient ?? 'Verification'}
      back={back}
      description={<CopyText text={otpId} label="Copy the id" className="px-0" />}
      actions={
        query.data && (
          <>
            <VerificationStatus status={query.data.status} />
            <Actions verification={query.data} />
          </>
        )
      }
    >
      <Loaded query={query} loading={<Skeleton className="h-96 w-full" />}>
        {(verification) => (
          <div className="grid items-start gap-4 xl:grid-cols-[minmax(0,1fr)_22rem]">
            <div className="flex min-w-0 flex-col gap-4">
              <Exception exception={verification.exception} />
              <InShort verification={verification} />
              <Timeline entries={verification.timeline} />
              <Deliveries companyId={companyId} deliveries={verification.deliveries} />
              <Why decisions={verification.decisions} />
              <Events appId={appId} events={verification.events} />
            </div>
            <Facts verification={verification} />
          </div>
        )}
      </Loaded>
    </Page>
  )
}
