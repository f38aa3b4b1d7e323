import type { ChannelName, VerificationDetail } from '@countersign/contract'
import { useChange } from '#lib/use-change.ts'

const stories = ['getVerification', 'listVerifications', 'searchVerifications', 'searchCompany'] as const

/** What can be done about a verification and its recipient. The question that asks first shows a refusal itself. */
export function useHelp({ otp_id, exception }: VerificationDetail, companyId: string) {
  const asked = { refreshes: stories, problems: 'form' } as const
  const resent = useChange('resendVerification', {
    refreshes: stories,
    says: ({ action_url: link }) =>
      link === null ? 'The code is sent again.' : 'Nothing was sent: the person has a WhatsApp link.',
  })
  const cancelled = useChange('cancelVerification', { ...asked, says: 'The verification is cancelled.' })
  const erased = useChange('eraseVerification', { ...asked, says: 'The recipient is erased.' })
  const excepted = useChange('exceptVerification', {
    ...asked,
    says: ({ kind }) =>
      kind === 'blocked' ? 'The recipient is blocked.' : 'The recipient is allowed past the guard for a day.',
  })
  const lifted = useChange('liftException', {
    refreshes: [...stories, 'listExceptions'],
    says: 'The exception is removed.',
  })
  const params = { otp_id }
  return {
    isSending: resent.isPending,
    resend: (channel: ChannelName | null) => resent.mutate({ params, body: { channel } }),
    cancel: () => cancelled.mutateAsync({ params }),
    erase: () => erased.mutateAsync({ params }),
    block: () => excepted.mutateAsync({ params, body: { kind: 'blocked' } }),
    allow: () => excepted.mutateAsync({ params, body: { kind: 'allowed' } }),
    lift: () => {
      if (!exception) return
      lifted.mutate({ params: { company_id: companyId, exception_id: exception.exception_id } })
    },
  }
}
