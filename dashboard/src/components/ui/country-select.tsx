import { countryCodes } from '#contract'
import { countryName } from '#lib/format.ts'
import { Select } from './input.tsx'

interface CountrySelectProps {
  readonly value: string | undefined
  readonly onChange: (code: string | undefined) => void
  /** The label of the option for no country. */
  readonly none?: string
  readonly label?: string
  readonly className?: string
}

const byName = countryCodes
  .map((code) => ({ code, name: countryName(code) }))
  .sort((one, other) => one.name.localeCompare(other.name))

/** An option for no country, then every country by name. */
export const CountryOptions = ({ none }: { readonly none: string }) => (
  <>
    <option value="">{none}</option>
    {byName.map(({ code, name }) => (
      <option key={code} value={code}>
        {name}
      </option>
    ))}
  </>
)

export const CountrySelect = ({
  value,
  onChange,
  none = 'All countries',
  label = 'Country',
  className,
}: CountrySelectProps) => (
  <Select
    aria-label={label}
    className={className}
    value={value ?? ''}
    onChange={({ target }) => onChange(target.value || undefined)}
  >
    <CountryOptions none={none} />
  </Select>
)
