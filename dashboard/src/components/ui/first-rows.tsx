import { type ReactNode, useState } from 'react'
import { formatCount } from '#lib/format.ts'
import { Button } from './button.tsx'

const first = 8

interface FirstRowsProps<Row> {
  readonly rows: readonly Row[]
  readonly noun: string
  readonly children: (shown: readonly Row[]) => ReactNode
}

/** A long list above or beside other parts of a page: its first rows, and all of them on request. */
export function FirstRows<Row>({ rows, noun, children }: FirstRowsProps<Row>) {
  const [isWhole, setWhole] = useState(false)
  return (
    <>
      {children(isWhole ? rows : rows.slice(0, first))}
      {rows.length > first && (
        <div className="flex min-h-11 flex-wrap items-center justify-between gap-2 border-t bg-page px-4 py-2 text-sm text-muted">
          <p>
            {isWhole ? '' : `${first} of `}
            {formatCount(rows.length)} {noun}
          </p>
          <Button size="sm" aria-expanded={isWhole} onClick={() => setWhole(!isWhole)}>
            {isWhole ? 'Show fewer' : 'Show all'}
          </Button>
        </div>
      )}
    </>
  )
}
