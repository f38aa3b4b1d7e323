import { useState } from 'react'
import { textLink } from '#components/ui/text-link.tsx'
import { ApiError, isNotFound } from '#lib/api-error.ts'
import { cx } from '#lib/classes.ts'
import { toastProblem } from '#lib/toast.ts'
import { useMove } from '#lib/use-move.ts'
import { useFindApp } from '../api/billing.ts'

const gone = (error: unknown) =>
  isNotFound(error) && error instanceof ApiError
    ? new ApiError(404, error.type, 'This verification is no longer stored.', {}, error.requestId)
    : error

/** The ledger does not name the app, so the verification is asked for it first. */
export function FindVerification({ otpId }: { readonly otpId: string }) {
  const findApp = useFindApp()
  const move = useMove()
  const [isBusy, setBusy] = useState(false)
  const open = async () => {
    setBusy(true)
    try {
      const appId = await findApp(otpId)
      await move({ to: '/a/$appId/verifications/$otpId', params: { appId, otpId } })
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
      className={cx(textLink, 'text-left font-mono text-xs [overflow-wrap:anywhere] md:whitespace-nowrap')}
    >
      {otpId}
    </button>
  )
}
