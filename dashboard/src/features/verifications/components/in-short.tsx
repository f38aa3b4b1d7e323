import type { VerificationDetail } from '@countersign/contract'
import { Button } from '#components/ui/button.tsx'
import { Notice } from '#components/ui/notice.tsx'
import { useApp } from '#lib/app.ts'
import { usePermission } from '#lib/session.ts'
import { useHelp } from '../api/help.ts'
import { inShort } from '../lib/in-short.ts'

/** At the top of the page: what to tell the person, and what usually helps. */
export function InShort({ verification }: { readonly verification: VerificationDetail }) {
  const { company_id: companyId } = useApp(verification.app_id)
  const { reason } = usePermission(companyId, 'developer')
  const help = useHelp(verification, companyId)
  const found = inShort(verification)
  if (!found) return null
  return (
    <section aria-label="In short">
      <Notice
        tone={found.tone}
        title={found.what}
        actions={
          found.maySendAgain && (
            <Button disabledReason={reason} isBusy={help.isSending} onClick={() => help.resend(null)}>
              Send the code again
            </Button>
          )
        }
      >
        <p>{found.next}</p>
      </Notice>
    </section>
  )
}
