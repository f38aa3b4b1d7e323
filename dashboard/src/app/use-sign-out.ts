import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { isSignedOut } from '#lib/api-error.ts'
import { call } from '#lib/client.ts'
import { useMe } from '#lib/session.ts'
import { toastProblem } from '#lib/toast.ts'
import { mayBeLost } from '#lib/unsaved.ts'

export function useSignOut() {
  const me = useMe()
  const client = useQueryClient()
  const navigate = useNavigate()
  return useMutation({
    mutationFn: async () => {
      if (!(await mayBeLost())) return false
      try {
        await call('endSession', { params: { session_id: me.session_id } })
      } catch (error) {
        // The session has ended already, which is what was asked for.
        if (!isSignedOut(error)) throw error
      }
      return true
    },
    onSuccess: async (isOut) => {
      if (!isOut) return
      await navigate({ to: '/sign-in' })
      client.clear()
    },
    onError: toastProblem,
  })
}
