/** Makes a change: calls the service, says that it is done, and reads again what it may have affected. */
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type AnswerOf, call, type InputOf, type ManageOperation } from './client.ts'
import { forgetKey, keyOf } from './idempotency.ts'
import { toast, toastProblem } from './toast.ts'

interface ChangeOptions<Name extends ManageOperation> {
  /** What a toast says once it is done. */
  readonly says?: string | ((answer: AnswerOf<Name>, input: InputOf<Name>) => string)
  /** Reads that are stale afterwards. */
  readonly refreshes?: readonly ManageOperation[]
  /** A form and a question show problems themselves; everything else shows them in a toast. */
  readonly problems?: 'form' | 'toast'
  readonly onDone?: (answer: AnswerOf<Name>, input: InputOf<Name>) => void
}

export function useChange<Name extends ManageOperation>(name: Name, options: ChangeOptions<Name> = {}) {
  const client = useQueryClient()
  return useMutation({
    mutationKey: [name],
    mutationFn: (input: InputOf<Name>) => call(name, input, { key: keyOf(name, input) }),
    onSuccess: async (answer, input) => {
      forgetKey(name, input)
      const { says } = options
      if (says) toast(typeof says === 'function' ? says(answer, input) : says)
      options.onDone?.(answer, input)
      await Promise.all(
        (options.refreshes ?? []).map((read) => client.invalidateQueries({ queryKey: [read] })),
      )
    },
    onError: (error) => {
      if (options.problems !== 'form') toastProblem(error)
    },
  })
}
