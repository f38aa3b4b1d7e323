import Plus from 'lucide-react/icons/plus'
import X from 'lucide-react/icons/x'
import { Button, IconButton } from '#components/ui/button.tsx'
import { countryOptions } from '#components/ui/country-chips.tsx'
import { Picker } from '#components/ui/picker.tsx'
import { Country } from '#components/ui/values.tsx'
import type { Form } from '#lib/form/use-form.ts'
import { countryName } from '#lib/format.ts'
import { CapField } from './cap-field.tsx'
import type { CapValues } from './cap-values.ts'

interface CountryCapsProps {
  readonly form: Form<CapValues>
  readonly isFixed: boolean
}

const field = 'spend_caps.day_by_country.countries'

export function CountryCaps({ form, isFixed }: CountryCapsProps) {
  const { countries: caps } = form.values.spend_caps.day_by_country
  const remove = (country: string) => {
    const { [country]: _gone, ...rest } = caps
    form.set(field, rest)
  }
  return (
    <div className="grid gap-x-6 gap-y-1.5 md:grid-cols-[20rem_minmax(0,1fr)]">
      <div>
        <p className="text-sm font-medium">Countries with their own cap</p>
        <p className="text-xs text-muted">It replaces the one above.</p>
      </div>
      <div className="flex min-w-0 flex-col items-start gap-2">
        {Object.keys(caps).map((country) => (
          <div key={country} className="flex flex-wrap items-start gap-2">
            <span className="min-w-44 pt-1 text-sm">
              <Country code={country} />
            </span>
            <CapField form={form} name={`${field}.${country}`} label={`Cap for ${countryName(country)}`} />
            {!isFixed && (
              <IconButton
                size="sm"
                label={`Remove the cap for ${countryName(country)}`}
                onClick={() => remove(country)}
              >
                <X aria-hidden="true" />
              </IconButton>
            )}
          </div>
        ))}
        {Object.keys(caps).length === 0 && isFixed && <p className="text-sm text-muted">None.</p>}
        {!isFixed && (
          <Picker
            label="Countries"
            options={countryOptions.filter(({ value }) => !(value in caps))}
            onPick={(country) => form.set(field, { ...caps, [country]: '' })}
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
}
