import type { ReactNode } from 'react'
import { plural } from '#lib/format.ts'
import { Button } from './button.tsx'

interface PagesProps {
  readonly query: {
    readonly hasNextPage: boolean
    readonly isFetchingNextPage: boolean
    readonly fetchNextPage: () => unknown
  }
  readonly shown: number
  readonly noun: readonly [one: string, many: string]
  readonly note?: ReactNode
}

/** Shown under a list that comes in pages: how many rows are shown, and a button for more. */
export const Pages = ({ query, shown, noun: [one, many], note }: PagesProps) => (
  <div className="flex min-h-11 flex-wrap items-center justify-between gap-2 border-t bg-page px-4 py-2 text-sm text-muted">
    <p aria-live="polite">
      {plural(shown, one, many)}
      {query.hasNextPage ? ' shown' : ''}
      {note && <> · {note}</>}
    </p>
    {query.hasNextPage && (
      <Button size="sm" isBusy={query.isFetchingNextPage} onClick={() => void query.fetchNextPage()}>
        Load more
      </Button>
    )}
  </div>
)
