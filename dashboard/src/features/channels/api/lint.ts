/** What the linter says of a text while it is written. */
import { useQuery } from '@tanstack/react-query'
import type { AnswerOf } from '#lib/client.ts'
import { queryOf } from '#lib/queries.ts'
import { useDebounced } from '#lib/use-debounced.ts'
import { type Draft, templateOf } from '../lib/draft.ts'
import type { MessageChannel } from '../search.ts'

export type Lint = AnswerOf<'lintMessage'>

const restMs = 300

/** Without a draft, the shipped text is linted. */
export function useLint(appId: string, channel: MessageChannel, locale: string, draft: Draft | null) {
  const rested = useDebounced(draft, restMs)
  return useQuery({
    ...queryOf('lintMessage', {
      params: { app_id: appId },
      body: { channel, locale, ...(rested ? { template: templateOf(channel, rested) } : {}) },
    }),
    placeholderData: (before) => before,
  })
}
