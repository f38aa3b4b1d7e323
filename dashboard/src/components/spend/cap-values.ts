/** Spend caps while they are edited, named as the API has them. */
import type { AppSettings, FieldProblem } from '@countersign/contract'
import { trimAmount } from '#lib/amount.ts'

export interface CapValues {
  readonly spend_caps: {
    readonly hour_unverified: string
    readonly day_by_country: {
      readonly default: string
      readonly countries: Readonly<Record<string, string>>
    }
  }
}

export const capValues = ({ day_by_country, hour_unverified }: AppSettings['spend_caps']): CapValues => ({
  spend_caps: {
    hour_unverified: trimAmount(hour_unverified),
    day_by_country: {
      default: trimAmount(day_by_country.default),
      countries: Object.fromEntries(
        Object.entries(day_by_country.countries).map(([country, cap]) => [country, trimAmount(cap)]),
      ),
    },
  },
})

/** A country that was removed from the form is set to null, which removes it. */
export function capChange({ spend_caps }: CapValues, saved: AppSettings['spend_caps']) {
  const gone = Object.keys(saved.day_by_country.countries).map((country) => [country, null] as const)
  const { day_by_country } = spend_caps
  return {
    spend_caps: {
      ...spend_caps,
      day_by_country: {
        ...day_by_country,
        countries: { ...Object.fromEntries(gone), ...day_by_country.countries },
      },
    },
  }
}

/** In the form `learned` and `off` are choices, so what is typed can only be an amount. */
export const rewordCap = ({ path, message }: FieldProblem): FieldProblem => ({
  path,
  message: isCap(path) ? 'must be an amount above zero, such as 25.00' : message,
})

const isCap = (path: string) =>
  path === 'spend_caps.hour_unverified' || path.startsWith('spend_caps.day_by_country.')
