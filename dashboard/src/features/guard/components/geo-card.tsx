import type { AppSettings } from '@countersign/contract'
import { ChoiceField, CountriesField } from '#components/form/fields.tsx'
import { FormCard } from '#components/form/form-card.tsx'
import type { ChoiceOption } from '#components/ui/choice.tsx'
import { Notice } from '#components/ui/notice.tsx'
import { useApp, useMayChangeApp } from '#lib/app.ts'
import { useSettingsForm } from '#lib/form/use-settings-form.ts'
import { settingLabels } from '#lib/setting-labels.ts'

type Mode = AppSettings['geo']['mode']

const modes: readonly ChoiceOption<Mode>[] = [
  { value: 'block', label: 'All except these', text: 'Codes go to every country that is not on the list.' },
  { value: 'allow', label: 'Only these', text: 'Codes go only to the countries on the list.' },
]

export function GeoCard({ appId }: { readonly appId: string }) {
  const app = useApp(appId)
  const permission = useMayChangeApp(appId)
  const form = useSettingsForm(app, {
    initial: { geo: app.geo },
    change: (values) => values,
    says: 'Country settings saved',
  })
  const { mode, countries } = form.values.geo
  const isAllow = mode === 'allow'
  return (
    <FormCard
      form={form}
      permission={permission}
      title={settingLabels.geo}
      description="By the country of the number, not by its calling code: 25 countries share +1. Email addresses have no country and always pass."
    >
      <ChoiceField
        form={form}
        name="geo.mode"
        label={settingLabels['geo.mode']}
        className="sm:grid-cols-2"
        options={modes}
      />
      <CountriesField
        form={form}
        name="geo.countries"
        label={isAllow ? 'Allowed countries' : 'Blocked countries'}
        whenNone={isAllow ? 'None yet.' : 'None: codes go to every country.'}
        isFixed={!permission.may}
      />
      {isAllow && countries.length === 0 && (
        <Notice tone="warn" title="With an empty list, no phone number gets a code." />
      )}
    </FormCard>
  )
}
