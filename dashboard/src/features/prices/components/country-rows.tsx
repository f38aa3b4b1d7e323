import { getRouteApi, useNavigate } from '@tanstack/react-router'
import Plus from 'lucide-react/icons/plus'
import X from 'lucide-react/icons/x'
import { useId } from 'react'
import { matchesCountry, type Priced, pricedLabels, pricedNames } from '#components/prices/price-rows.ts'
import { AmountInput } from '#components/ui/amount-input.tsx'
import { Button, IconButton } from '#components/ui/button.tsx'
import { countryOptions } from '#components/ui/country-chips.tsx'
import { FieldProblem } from '#components/ui/field.tsx'
import { Input } from '#components/ui/input.tsx'
import { Picker } from '#components/ui/picker.tsx'
import { type Column, Table } from '#components/ui/table.tsx'
import { Country } from '#components/ui/values.tsx'
import { sayProblem } from '#lib/form/problems.ts'
import { useField } from '#lib/form/use-field.ts'
import type { Form } from '#lib/form/use-form.ts'
import { countryName } from '#lib/format.ts'
import { type BookValues, noPrices } from '../lib/book-values.ts'

const route = getRouteApi('/shell/operator/prices')

export function CountryRows({ form }: { readonly form: Form<BookValues> }) {
  const { country: search = '' } = route.useSearch()
  const { countries } = form.values
  const rows = Object.keys(countries)
  const shown = rows.filter((country) => matchesCountry(country, search))
  return (
    <section aria-labelledby="by-country" className="flex min-w-0 flex-col gap-2">
      <div className="flex flex-wrap items-center gap-2">
        <h3 id="by-country" className="mr-auto text-sm font-semibold">
          By country
        </h3>
        {rows.length > 0 && <Search search={search} />}
        <Picker
          label="Countries"
          options={countryOptions.filter(({ value }) => !rows.includes(value))}
          onPick={(country) => form.set('countries', { [country]: noPrices, ...countries })}
          trigger={
            <Button>
              <Plus aria-hidden="true" />
              Add a country
            </Button>
          }
        />
      </div>
      <p className="text-xs text-muted">Where a field is empty, the default price applies, shown in grey.</p>
      {rows.length === 0 ? (
        <p className="text-sm text-muted">No country has prices of its own yet.</p>
      ) : (
        <div className="-mx-4">
          <Table
            label="Prices by country"
            columns={columnsFor(form)}
            rows={shown}
            rowKey={(country) => country}
          />
          {shown.length === 0 && (
            <p className="px-4 py-2 text-sm text-muted">No country with that name is listed.</p>
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
      className="w-48"
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

interface CellProps {
  readonly form: Form<BookValues>
  readonly country: string
  readonly priced: Priced
}

function Cell({ form, country, priced }: CellProps) {
  const id = useId()
  const { value, set, problem } = useField(form, `countries.${country}.${priced}`)
  return (
    <span className="flex flex-col gap-1">
      <AmountInput
        aria-label={`${pricedLabels[priced]} in ${countryName(country)}`}
        aria-invalid={problem ? true : undefined}
        aria-describedby={problem && id}
        className="min-w-20"
        placeholder={form.values.default[priced]}
        value={value}
        onValue={set}
      />
      <FieldProblem id={id} text={problem && sayProblem('It', problem)} />
    </span>
  )
}

function columnsFor(form: Form<BookValues>): readonly Column<string>[] {
  const remove = (country: string) => {
    const { [country]: _gone, ...rest } = form.values.countries
    form.set('countries', rest)
  }
  return [
    { key: 'country', header: 'Country', cell: (country) => <Country code={country} /> },
    ...pricedNames.map(
      (priced): Column<string> => ({
        key: priced,
        header: pricedLabels[priced],
        align: 'end',
        cell: (country) => <Cell form={form} country={country} priced={priced} />,
      }),
    ),
    {
      key: 'remove',
      header: <span className="sr-only">Actions</span>,
      align: 'end',
      cell: (country) => (
        <IconButton size="sm" label={`Remove ${countryName(country)}`} onClick={() => remove(country)}>
          <X aria-hidden="true" />
        </IconButton>
      ),
    },
  ]
}
