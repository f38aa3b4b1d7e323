import Plus from 'lucide-react/icons/plus'
import type { ReactNode } from 'react'
import { countryCodes } from '#contract'
import { countryName } from '#lib/format.ts'
import { Button } from './button.tsx'
import { Chips } from './chips.tsx'
import { FieldGroup, FieldProblem } from './field.tsx'
import { Picker } from './picker.tsx'

/** Sorted by name. */
export const countryOptions = countryCodes
  .map((code) => ({ value: code, label: countryName(code), code }))
  .sort((one, other) => one.label.localeCompare(other.label, 'en'))

interface CountryChipsProps {
  readonly label: string
  readonly hint?: ReactNode
  /** What it means here that no country is chosen. */
  readonly whenNone: ReactNode
  readonly value: readonly string[]
  readonly onChange: (countries: readonly string[]) => void
  readonly problem?: string | undefined
  readonly isFixed?: boolean | undefined
}

/** The choice of a set of countries. */
export const CountryChips = ({
  label,
  hint,
  whenNone,
  value,
  onChange,
  problem,
  isFixed = false,
}: CountryChipsProps) => (
  <FieldGroup label={label} hint={hint}>
    {value.length === 0 ? (
      <p className="text-sm text-muted">{whenNone}</p>
    ) : (
      <Chips
        label={label}
        isFixed={isFixed}
        onRemove={(removed) => onChange(value.filter((code) => code !== removed))}
        chips={value.map((code) => ({
          value: code,
          name: countryName(code),
          content: (
            <>
              <span className="mr-1.5 font-mono text-xs text-faint">{code}</span>
              {countryName(code)}
            </>
          ),
        }))}
      />
    )}
    {!isFixed && (
      <div className="flex flex-wrap gap-2">
        <Picker
          label="Countries"
          isForMany
          options={countryOptions.filter((option) => !value.includes(option.value))}
          onPick={(code) => onChange([...value, code])}
          trigger={
            <Button size="sm" {...(problem ? { 'aria-invalid': true } : {})}>
              <Plus aria-hidden="true" />
              Add a country
            </Button>
          }
        />
        {value.length > 1 && (
          <Button size="sm" variant="ghost" onClick={() => onChange([])}>
            Remove all
          </Button>
        )}
      </div>
    )}
    <FieldProblem text={problem} />
  </FieldGroup>
)
