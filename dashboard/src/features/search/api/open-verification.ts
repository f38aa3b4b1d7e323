import { useQueryClient } from '@tanstack/react-query'
import { useThisList } from '#components/verifications/way-back.tsx'
import { queryOf } from '#lib/queries.ts'
import { toastProblem } from '#lib/toast.ts'
import { useMove } from '#lib/use-move.ts'

/** Opens a verification of whichever app. */
export function useOpenVerification() {
  const client = useQueryClient()
  const move = useMove()
  const state = useThisList()
  return (otpId: string) =>
    void client
      .fetchQuery(queryOf('getVerification', { params: { otp_id: otpId } }))
      .then(({ app_id: appId }) =>
        move({ to: '/a/$appId/verifications/$otpId', params: { appId, otpId }, state }),
      )
      .catch(toastProblem)
}
