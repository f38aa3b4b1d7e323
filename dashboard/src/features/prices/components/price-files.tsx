import type { PriceBook } from '@countersign/contract'
import DownloadIcon from 'lucide-react/icons/download'
import Upload from 'lucide-react/icons/upload'
import { type ChangeEvent, useRef, useState } from 'react'
import { pricedLabels } from '#components/prices/price-rows.ts'
import { Button } from '#components/ui/button.tsx'
import { Question } from '#components/ui/confirm.tsx'
import { Notice } from '#components/ui/notice.tsx'
import { Table } from '#components/ui/table.tsx'
import { countryCodes } from '#contract'
import { save } from '#lib/download.ts'
import { countryName, plural } from '#lib/format.ts'
import { usePermission } from '#lib/session.ts'
import { toast } from '#lib/toast.ts'
import { usePutPrices } from '../api/put-prices.ts'
import { bookOfCsv, changesBetween, csvOfBook, type PriceChange, type ReadBook } from '../lib/book-csv.ts'
import { bookOf } from '../lib/book-values.ts'

/** Downloads and uploads the price book as a file. What a file would change is shown before it is saved. */
export function PriceFiles({ book }: { readonly book: PriceBook }) {
  const { reason } = usePermission(null, 'operator')
  const input = useRef<HTMLInputElement>(null)
  const [read, setRead] = useState<ReadBook | null>(null)
  const onFile = async ({ target }: ChangeEvent<HTMLInputElement>) => {
    const [file] = target.files ?? []
    target.value = ''
    if (!file) return
    const result = bookOfCsv(await file.text(), book, countryCodes)
    if (result.values && changesBetween(book, result.values).length === 0) toast('The file changes nothing.')
    else setRead(result)
  }
  const download = () => save(new Blob([csvOfBook(book)], { type: 'text/csv' }), 'prices.csv')
  return (
    <>
      {read?.problem && <Notice tone="warn" title={read.problem} />}
      <div className="flex flex-wrap gap-2">
        <Button size="sm" onClick={download}>
          <DownloadIcon aria-hidden="true" /> Save as CSV
        </Button>
        <Button size="sm" disabledReason={reason} onClick={() => input.current?.click()}>
          <Upload aria-hidden="true" /> Import a CSV…
        </Button>
        <input
          ref={input}
          type="file"
          accept=".csv,text/csv"
          aria-label="A CSV file of prices"
          className="sr-only"
          tabIndex={-1}
          onChange={(event) => void onFile(event)}
        />
      </div>
      {read?.values && <Preview book={book} values={read.values} onClose={() => setRead(null)} />}
    </>
  )
}

interface PreviewProps {
  readonly book: PriceBook
  readonly values: NonNullable<ReadBook['values']>
  readonly onClose: () => void
}

function Preview({ book, values, onClose }: PreviewProps) {
  const put = usePutPrices()
  const changes = changesBetween(book, values)
  return (
    <Question
      isOpen
      onOpenChange={onClose}
      title={`Change ${plural(changes.length, 'price')}?`}
      description={<Changes changes={changes} />}
      action="Save these prices"
      tone="calm"
      onConfirm={() => put.mutateAsync({ body: bookOf(values) })}
    />
  )
}

const Changes = ({ changes }: { readonly changes: readonly PriceChange[] }) => (
  <div className="max-h-80 overflow-y-auto">
    <Table
      label="What would change"
      rows={changes}
      rowKey={({ country, channel }) => `${country} ${channel}`}
      columns={[
        {
          key: 'country',
          header: 'Country',
          cell: ({ country }) => (country === null ? 'Default' : countryName(country)),
        },
        { key: 'channel', header: 'Channel', cell: ({ channel }) => pricedLabels[channel] },
        { key: 'before', header: 'Current', align: 'end', cell: ({ before }) => before || '—' },
        { key: 'after', header: 'New', align: 'end', cell: ({ after }) => after || '—' },
      ]}
    />
  </div>
)
