import Plus from 'lucide-react/icons/plus'
import X from 'lucide-react/icons/x'
import { Button, IconButton } from '#components/ui/button.tsx'
import { countryOptions } from '#components/ui/country-chips.tsx'
import { FieldProblem } from '#components/ui/field.tsx'
import { Picker } from '#components/ui/picker.tsx'
import { Country } from '#components/ui/values.tsx'
import { countryName } from '#lib/format.ts'
import { CapField, capProblem } from './cap-field.tsx'

export type CountryCap = readonly [country: string, cap: string]

interface CountryCapsProps {
  readonly rows: readonly CountryCap[]
  readonly onChange: (rows: readonly CountryCap[]) => void
  readonly problem: string | undefined
  readonly isFixed: boolean
}

export const CountryCaps = ({ rows, onChange, problem, isFixed }: CountryCapsProps) => (
  <div className="grid gap-x-6 gap-y-1.5 md:grid-cols-[20rem_minmax(0,1fr)]">
    <div>
      <p className="text-sm font-medium">Countries with a cap of their own</p>
      <p className="text-xs text-muted">In place of the one above.</p>
    </div>
    <div className="flex min-w-0 flex-col items-start gap-2">
      {rows.map(([country, cap]) => (
        <div key={country} className="flex flex-wrap items-center gap-2">
          <span className="min-w-44 text-sm">
            <Country code={country} />
          </span>
          <CapField
            label={`Cap of ${countryName(country)}`}
            value={cap}
            problem={problem && capProblem(cap)}
            onChange={(next) => onChange(rows.map((row) => (row[0] === country ? [country, next] : row)))}
          />
          {!isFixed && (
            <IconButton
              size="sm"
              label={`Remove the cap of ${countryName(country)}`}
              onClick={() => onChange(rows.filter(([one]) => one !== country))}
            >
              <X aria-hidden="true" />
            </IconButton>
          )}
        </div>
      ))}
      {rows.length === 0 && isFixed && <p className="text-sm text-muted">None.</p>}
      <FieldProblem text={problem} />
      {!isFixed && (
        <Picker
          label="Countries"
          options={countryOptions.filter(({ value }) => rows.every(([country]) => country !== value))}
          onPick={(country) => onChange([...rows, [country, '']])}
          trigger={
            <Button size="sm">
              <Plus aria-hidden="true" />
              Add a country
            </Button>
          }
        />
      )}
    </div>
  </div>
)
