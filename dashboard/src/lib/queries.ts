/** Reading through React Query: the operation and its input are the key. */
import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import { type AnswerOf, call, type InputOf, type ManageOperation } from './client.ts'

export const queryOf = <Name extends ManageOperation>(name: Name, input: InputOf<Name>) =>
  queryOptions({
    queryKey: [name, input] as const,
    // Without the signal: leaving a page must not cancel what the next route waits for.
    queryFn: () => call(name, input),
  })

/** Operations whose answers come in pages behind a cursor, asked for in the address or in the body. */
type PagedOperation = {
  [Name in ManageOperation]: AnswerOf<Name> extends { readonly next_cursor: string | null } ? Name : never
}[ManageOperation]

const firstPage: string | null = null

export const pagesOf = <Name extends PagedOperation>(name: Name, input: InputOf<Name>) =>
  infiniteQueryOptions({
    queryKey: [name, 'pages', input] as const,
    queryFn: ({ pageParam, signal }) => call(name, withCursor(input, pageParam), { signal }),
    initialPageParam: firstPage,
    getNextPageParam: (page: AnswerOf<Name>) => page.next_cursor,
  })

function withCursor<Input>(input: Input, cursor: string | null): Input {
  if (cursor === null || typeof input !== 'object' || input === null) return input
  if ('body' in input && typeof input.body === 'object') return { ...input, body: { ...input.body, cursor } }
  const query = 'query' in input && typeof input.query === 'object' ? input.query : {}
  return { ...input, query: { ...query, cursor } }
}
