import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { textLink } from '#components/ui/text-link.tsx'
import { ApiError, isNotFound } from '#lib/api-error.ts'
import { cx } from '#lib/classes.ts'
import { queryOf } from '#lib/queries.ts'
import { toastProblem } from '#lib/toast.ts'

const gone = (error: unknown) =>
  isNotFound(error) && error instanceof ApiError
    ? new ApiError(404, error.type, 'This verification is not kept any more.', {}, error.requestId)
    : error

/** The ledger does not name the app, so the verification is asked for it first. */
export function VerificationLink({ otpId }: { readonly otpId: string }) {
  const client = useQueryClient()
  const navigate = useNavigate()
  const [isBusy, setBusy] = useState(false)
  const open = async () => {
    setBusy(true)
    try {
      const { app_id } = await client.fetchQuery(queryOf('getVerification', { params: { otp_id: otpId } }))
      await navigate({ to: '/a/$appId/verifications/$otpId', params: { appId: app_id, otpId } })
    } catch (error) {
      toastProblem(gone(error))
      setBusy(false)
    }
  }
  return (
    <button
      type="button"
      aria-busy={isBusy || undefined}
      aria-label={`Open the verification ${otpId}`}
      onClick={() => void open()}
      className={cx(textLink, 'font-mono text-xs')}
    >
      {otpId}
    </button>
  )
}
