import { getRouteApi, useNavigate } from '@tanstack/react-router'
import Plus from 'lucide-react/icons/plus'
import X from 'lucide-react/icons/x'
import { matchesCountry, pricedLabels, pricedNames } from '#components/prices/price-rows.ts'
import { AmountInput } from '#components/ui/amount-input.tsx'
import { Button, IconButton } from '#components/ui/button.tsx'
import { countryOptions } from '#components/ui/country-chips.tsx'
import { FieldProblem } from '#components/ui/field.tsx'
import { Input } from '#components/ui/input.tsx'
import { Picker } from '#components/ui/picker.tsx'
import { type Column, Table } from '#components/ui/table.tsx'
import { Country } from '#components/ui/values.tsx'
import { countryName } from '#lib/format.ts'
import type { Form } from '#lib/use-form.ts'
import { type BookValues, type CountryPrices, cellProblem, noPrices } from '../book-values.ts'

const route = getRouteApi('/shell/operator/prices')

export function CountryRows({ form }: { readonly form: Form<BookValues> }) {
  const { country: search = '' } = route.useSearch()
  const rows = form.values.countries
  const set = (next: readonly CountryPrices[]) => form.set('countries', next)
  const shown = rows.filter(({ country }) => matchesCountry(country, search))
  return (
    <section aria-labelledby="by-country" className="flex min-w-0 flex-col gap-2">
      <div className="flex flex-wrap items-center gap-2">
        <h3 id="by-country" className="mr-auto text-sm font-semibold">
          By country
        </h3>
        {rows.length > 0 && <Search search={search} />}
        <Picker
          label="Countries"
          options={countryOptions.filter(({ value }) => rows.every(({ country }) => country !== value))}
          onPick={(country) => set([{ country, prices: noPrices }, ...rows])}
          trigger={
            <Button>
              <Plus aria-hidden="true" />
              Add a country
            </Button>
          }
        />
      </div>
      <p className="text-xs text-muted">An empty field takes the price of everywhere else.</p>
      <FieldProblem text={form.problem('countries')} />
      {rows.length === 0 ? (
        <p className="text-sm text-muted">No country has prices of its own.</p>
      ) : (
        <div className="-mx-4">
          <Table
            label="Prices by country"
            columns={columnsFor(form, set)}
            rows={shown}
            rowKey={({ country }) => country}
          />
          {shown.length === 0 && (
            <p className="px-4 py-2 text-sm text-muted">No country of that name is here.</p>
          )}
        </div>
      )}
    </section>
  )
}

function Search({ search }: { readonly search: string }) {
  const navigate = useNavigate()
  return (
    <Input
      type="search"
      aria-label="Find a country"
      placeholder="Find a country"
      className="!w-48"
      value={search}
      onChange={({ target }) =>
        void navigate({
          to: '.',
          search: (before) => ({ ...before, country: target.value || undefined }),
          replace: true,
        })
      }
    />
  )
}

function columnsFor(
  form: Form<BookValues>,
  set: (rows: readonly CountryPrices[]) => void,
): readonly Column<CountryPrices>[] {
  const rows = form.values.countries
  return [
    { key: 'country', header: 'Country', cell: ({ country }) => <Country code={country} /> },
    ...pricedNames.map(
      (name): Column<CountryPrices> => ({
        key: name,
        header: pricedLabels[name],
        align: 'end',
        cell: ({ country, prices }) => (
          <AmountInput
            aria-label={`${pricedLabels[name]} in ${countryName(country)}`}
            aria-invalid={cellProblem(prices[name]) ? true : undefined}
            className="min-w-20"
            placeholder={form.values[`default.${name}`]}
            value={prices[name]}
            onValue={(price) =>
              set(
                rows.map((row) =>
                  row.country === country ? { country, prices: { ...row.prices, [name]: price } } : row,
                ),
              )
            }
          />
        ),
      }),
    ),
    {
      key: 'remove',
      header: <span className="sr-only">Actions</span>,
      align: 'end',
      cell: ({ country }) => (
        <IconButton
          size="sm"
          label={`Remove ${countryName(country)}`}
          onClick={() => set(rows.filter((row) => row.country !== country))}
        >
          <X aria-hidden="true" />
        </IconButton>
      ),
    },
  ]
}
