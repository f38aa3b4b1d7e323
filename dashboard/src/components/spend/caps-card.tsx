import { type ReactNode, useId } from 'react'
import { FormCard } from '#components/form/form-card.tsx'
import { useApp, useMayChangeApp } from '#lib/app.ts'
import { useSettingsForm } from '#lib/form/use-settings-form.ts'
import { settingLabels } from '#lib/setting-labels.ts'
import { CapField } from './cap-field.tsx'
import { type CapValues, capChange, capValues, rewordCap } from './cap-values.ts'
import { CountryCaps } from './country-caps.tsx'

export function CapsCard({ appId }: { readonly appId: string }) {
  const app = useApp(appId)
  const permission = useMayChangeApp(appId)
  const form = useSettingsForm<CapValues>(app, {
    initial: capValues(app.spend_caps),
    change: (values) => capChange(values, app.spend_caps),
    says: 'Spend caps saved',
    refreshes: ['getSpend'],
    reword: rewordCap,
  })
  return (
    <FormCard
      form={form}
      permission={permission}
      title={settingLabels.spend_caps}
      description="A learned cap is ten to a hundred times the most that approved verifications cost in one hour or day of the last two weeks, depending on how many are usually approved, and never less than the price of 2,000 text messages. Traffic that nobody approves does not raise it."
    >
      <CapRow
        label={settingLabels['spend_caps.hour_unverified']}
        hint="What the app may spend in an hour on verifications that are not approved."
      >
        {(describedBy) => (
          <CapField
            form={form}
            name="spend_caps.hour_unverified"
            label="Cap per hour"
            describedBy={describedBy}
          />
        )}
      </CapRow>
      <CapRow
        label={settingLabels['spend_caps.day_by_country']}
        hint="For every country without a cap of its own, and for all email addresses together."
      >
        {(describedBy) => (
          <CapField
            form={form}
            name="spend_caps.day_by_country.default"
            label="Cap per day and country"
            describedBy={describedBy}
          />
        )}
      </CapRow>
      <CountryCaps form={form} isFixed={!permission.may} />
    </FormCard>
  )
}

interface CapRowProps {
  readonly label: string
  readonly hint: string
  readonly children: (describedBy: string) => ReactNode
}

function CapRow({ label, hint, children }: CapRowProps) {
  const id = useId()
  return (
    <div className="grid gap-x-6 gap-y-1.5 md:grid-cols-[20rem_minmax(0,1fr)]">
      <div>
        <p className="text-sm font-medium">{label}</p>
        <p id={id} className="text-xs text-muted">
          {hint}
        </p>
      </div>
      {children(id)}
    </div>
  )
}
