import type { ReactNode } from 'react'
import { cx } from '#lib/classes.ts'

export interface Column<Row> {
  readonly key: string
  readonly header: ReactNode
  readonly cell: (row: Row) => ReactNode
  /** Right-aligned, for figures. */
  readonly align?: 'end'
  /** The smallest window in which the column shows. Between `lg` and `xl` the menu leaves less room than below `lg`. */
  readonly from?: 'sm' | 'md' | 'xl'
  readonly className?: string
}

const shownFrom = { sm: 'max-sm:hidden', md: 'max-md:hidden', xl: 'max-xl:hidden' } as const

const cellClass = <Row,>(column: Column<Row>) =>
  cx(
    'px-2 first:pl-4 last:pr-4',
    column.align === 'end' && 'figures text-right',
    column.from && shownFrom[column.from],
    column.className,
  )

interface TableProps<Row> {
  /** Read out as the table's name. */
  readonly label: string
  readonly columns: readonly Column<Row>[]
  readonly rows: readonly Row[]
  readonly rowKey: (row: Row) => string
  /** The tooltip of a row: a link over the whole row hides the tooltips of its cells. */
  readonly rowTitle?: (row: Row) => string
  /** Wider than a phone, with nothing in it that takes the focus: the table itself then does. */
  readonly scrolls?: boolean
}

export const Table = <Row,>({ label, columns, rows, rowKey, rowTitle, scrolls = false }: TableProps<Row>) => (
  // A scrolling area must be reachable by keyboard.
  <div
    className="relative overflow-x-auto focus-visible:-outline-offset-2"
    {...(scrolls ? { tabIndex: 0 } : {})}
  >
    <table className="w-full border-collapse text-sm">
      <caption className="sr-only">{label}</caption>
      <thead>
        <tr className="border-b">
          {columns.map((column) => (
            <th
              key={column.key}
              scope="col"
              className={cx(
                'h-8 text-left text-xs font-medium whitespace-nowrap text-faint',
                cellClass(column),
              )}
            >
              {column.header}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr
            key={rowKey(row)}
            title={rowTitle?.(row)}
            className="relative border-b last:border-b-0 hover:bg-page"
          >
            {columns.map((column) => (
              <td key={column.key} className={cx('h-9 py-1.5 align-middle', cellClass(column))}>
                {column.cell(row)}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  </div>
)

/** For a link in a row: clicking anywhere in the row opens it. */
export const rowLinkClass =
  'font-medium text-ink after:absolute after:inset-0 hover:text-accent focus-visible:outline-offset-4'
/** For other controls in such a row, so that they stay on top. */
export const aboveRowLink = 'relative z-10'
/** For a column of names that people typed: a long name wraps, and takes no room from the columns beside it. */
export const nameColumn = 'min-w-28 [overflow-wrap:anywhere]'
