import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { call } from '#lib/client.ts'
import { useMe } from '#lib/session.ts'
import { toastProblem } from '#lib/toast.ts'

export function useSignOut() {
  const me = useMe()
  const client = useQueryClient()
  const navigate = useNavigate()
  return useMutation({
    mutationFn: () => call('endSession', { params: { session_id: me.session_id } }),
    onSuccess: async () => {
      await navigate({ to: '/sign-in' })
      client.clear()
    },
    onError: toastProblem,
  })
}
