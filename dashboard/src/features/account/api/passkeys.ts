import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { makePasskey } from '#lib/passkey.ts'
import { queryOf } from '#lib/queries.ts'
import { toast } from '#lib/toast.ts'
import { useChange } from '#lib/use-change.ts'

export const usePasskeys = () => useQuery(queryOf('listPasskeys', {}))

/** Everything is read again afterwards, since a session with a passkey may see more. */
export function useMakePasskey() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: makePasskey,
    onSuccess: async ({ name }) => {
      toast(`The passkey “${name}” is ready`)
      await client.invalidateQueries()
    },
  })
}

export const useRenamePasskey = () =>
  useChange('renamePasskey', { says: 'Passkey renamed', refreshes: ['listPasskeys'], problems: 'form' })

export const useRemovePasskey = () =>
  useChange('removePasskey', {
    says: 'Passkey removed',
    refreshes: ['listPasskeys', 'getMe'],
    problems: 'form',
  })
