import type { AppSettings } from '@countersign/contract'
import type { ReactNode } from 'react'
import { useId } from 'react'
import { FieldProblem } from '#components/ui/field.tsx'
import { FormCard } from '#components/ui/form-card.tsx'
import { trimAmount } from '#lib/amount.ts'
import { useApp, useMayChangeApp } from '#lib/app.ts'
import { countryName } from '#lib/format.ts'
import { useForm } from '#lib/use-form.ts'
import { useSettingsChange } from '#lib/use-settings-change.ts'
import { CapField, capProblem } from './cap-field.tsx'
import { type CountryCap, CountryCaps } from './country-caps.tsx'

const names = {
  hour: 'spend_caps.hour_unverified',
  day: 'spend_caps.day_by_country.default',
  countries: 'spend_caps.day_by_country.countries',
} as const

interface CapValues {
  readonly [names.hour]: string
  readonly [names.day]: string
  readonly [names.countries]: readonly CountryCap[]
}

const valuesOf = ({ day_by_country, hour_unverified }: AppSettings['spend_caps']): CapValues => ({
  [names.hour]: trimAmount(hour_unverified),
  [names.day]: trimAmount(day_by_country.default),
  [names.countries]: Object.entries(day_by_country.countries).map(
    ([country, cap]) => [country, trimAmount(cap)] as const,
  ),
})

function problemsOf(values: CapValues) {
  const wrong = values[names.countries].find(([, cap]) => capProblem(cap))
  return {
    [names.hour]: capProblem(values[names.hour]),
    [names.day]: capProblem(values[names.day]),
    [names.countries]: wrong && `${countryName(wrong[0])}: ${capProblem(wrong[1])}`,
  }
}

export function CapsCard({ appId }: { readonly appId: string }) {
  const { spend_caps: caps } = useApp(appId)
  const permission = useMayChangeApp(appId)
  const change = useSettingsChange(appId, {
    says: 'The spend caps are changed.',
    problems: 'form',
    refreshes: ['getSpend'],
  })
  const form = useForm({
    initial: valuesOf(caps),
    check: problemsOf,
    submit: (values) => {
      const gone = Object.keys(caps.day_by_country.countries).map((country) => [country, null] as const)
      return change({
        spend_caps: {
          hour_unverified: values[names.hour],
          day_by_country: {
            default: values[names.day],
            countries: Object.fromEntries([...gone, ...values[names.countries]]),
          },
        },
      })
    },
  })
  return (
    <FormCard
      form={form}
      permission={permission}
      fields={Object.values(names)}
      title="Spend caps"
      description="A learned cap is three times what people have approved in the best such period of the last two weeks, and never less than 200 text messages. Traffic that nobody approves does not raise it."
    >
      <CapRow
        label="An hour, not approved"
        hint="What the app may spend in an hour on verifications that are not approved."
        problem={form.problem(names.hour)}
      >
        {(describedBy) => (
          <CapField
            label="Cap of an hour"
            describedBy={describedBy}
            value={form.values[names.hour]}
            onChange={(cap) => form.set(names.hour, cap)}
            problem={form.problem(names.hour)}
          />
        )}
      </CapRow>
      <CapRow
        label="A day in one country"
        hint="For every country that has no cap of its own, and for email addresses together."
        problem={form.problem(names.day)}
      >
        {(describedBy) => (
          <CapField
            label="Cap of a day in one country"
            describedBy={describedBy}
            value={form.values[names.day]}
            onChange={(cap) => form.set(names.day, cap)}
            problem={form.problem(names.day)}
          />
        )}
      </CapRow>
      <CountryCaps
        rows={form.values[names.countries]}
        onChange={(rows) => form.set(names.countries, rows)}
        problem={form.problem(names.countries)}
        isFixed={!permission.may}
      />
    </FormCard>
  )
}

interface CapRowProps {
  readonly label: string
  readonly hint: string
  readonly problem: string | undefined
  readonly children: (describedBy: string) => ReactNode
}

function CapRow({ label, hint, problem, children }: CapRowProps) {
  const id = useId()
  return (
    <div className="grid gap-x-6 gap-y-1.5 md:grid-cols-[20rem_minmax(0,1fr)]">
      <div>
        <p className="text-sm font-medium">{label}</p>
        <p id={id} className="text-xs text-muted">
          {hint}
        </p>
      </div>
      <div className="flex flex-col gap-1">
        {children(id)}
        <FieldProblem text={problem} />
      </div>
    </div>
  )
}
