import type { PriceBook } from '@countersign/contract'
import { type Column, Table } from '#components/ui/table.tsx'
import { Country } from '#components/ui/values.tsx'
import { decimalsOf } from '#lib/amount.ts'
import { formatMoney } from '#lib/money.ts'
import {
  countryRows,
  matchesCountry,
  type Priced,
  type PriceRow,
  pricedLabels,
  pricedNames,
} from './price-rows.ts'

interface PriceTableProps {
  readonly book: PriceBook
  readonly search: string
}

export function PriceTable({ book, search }: PriceTableProps) {
  const special = countryRows(book)
  const found = special.filter(({ country }) => country !== null && matchesCountry(country, search))
  const rows: readonly PriceRow[] = [{ country: null, prices: book.default }, ...found]
  const columns: Column<PriceRow>[] = [
    {
      key: 'country',
      header: 'Country',
      cell: ({ country }) =>
        country === null ? <span className="font-medium">Default</span> : <Country code={country} />,
    },
    ...pricedNames.map((name) => priceColumn(book, name)),
  ]
  return (
    <>
      <Table
        label="Price book"
        scrolls
        columns={columns}
        rows={rows}
        rowKey={({ country }) => country ?? 'default'}
      />
      {special.length > 0 && found.length === 0 && (
        <p className="border-t px-4 py-3 text-sm text-muted">
          No country with that name has its own prices. The prices above apply there.
        </p>
      )}
      {special.length === 0 && (
        <p className="border-t px-4 py-3 text-sm text-muted">No country has its own prices.</p>
      )}
    </>
  )
}

function priceColumn(book: PriceBook, name: Priced): Column<PriceRow> {
  const all = [book.default, ...Object.values(book.countries)].flatMap((prices) => prices[name] ?? [])
  const decimals = decimalsOf(all)
  return {
    key: name,
    header: pricedLabels[name],
    align: 'end',
    cell: ({ prices }) => {
      const own = prices[name]
      const text = formatMoney(own ?? book.default[name], book.currency, decimals)
      return own === undefined ? <span className="text-faint">{text}</span> : text
    },
  }
}
