import { Table } from '../ui/table.tsx'
import type { Reading } from './chart.tsx'

interface ChartTableProps {
  readonly label: string
  readonly keys: readonly string[]
  readonly titleOf: (key: string) => string
  readonly readingsOf: (key: string) => readonly Reading[]
}

/** The figures of a chart as a table, for copying and for screen readers. */
export function ChartTable({ label, keys, titleOf, readingsOf }: ChartTableProps) {
  const names = readingsOf(keys[0] ?? '').map(({ name }) => name)
  return (
    <details className="group text-sm">
      <summary className="w-fit rounded-sm text-xs text-faint hover:text-ink">
        <span className="group-open:hidden">Show as a table</span>
        <span className="hidden group-open:inline">Hide the table</span>
      </summary>
      <div className="-mx-4 mt-2 border-t">
        <Table
          label={label}
          scrolls
          rows={keys}
          rowKey={(key) => key}
          columns={[
            { key: 'time', header: 'When', cell: titleOf },
            ...names.map((name, index) => ({
              key: name,
              header: name,
              align: 'end' as const,
              cell: (key: string) => readingsOf(key)[index]?.value ?? '—',
            })),
          ]}
        />
      </div>
    </details>
  )
}
