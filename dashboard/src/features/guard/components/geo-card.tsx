import type { AppSettings } from '@countersign/contract'
import { Choice, type ChoiceOption } from '#components/ui/choice.tsx'
import { CountryChips } from '#components/ui/country-chips.tsx'
import { FormCard } from '#components/ui/form-card.tsx'
import { Notice } from '#components/ui/notice.tsx'
import { useApp, useMayChangeApp } from '#lib/app.ts'
import { useForm } from '#lib/use-form.ts'
import { useSettingsChange } from '#lib/use-settings-change.ts'

type Mode = AppSettings['geo']['mode']

const modes: readonly ChoiceOption<Mode>[] = [
  { value: 'block', label: 'All but these', text: 'Codes go to every country that is not in the list.' },
  { value: 'allow', label: 'Only these', text: 'Codes go to the countries in the list, and to no other.' },
]

const names = { mode: 'geo.mode', countries: 'geo.countries' } as const

interface GeoValues {
  readonly [names.mode]: Mode
  readonly [names.countries]: readonly string[]
}

export function GeoCard({ appId }: { readonly appId: string }) {
  const { geo } = useApp(appId)
  const permission = useMayChangeApp(appId)
  const change = useSettingsChange(appId, { says: 'The countries are changed.', problems: 'form' })
  const form = useForm<GeoValues>({
    initial: { [names.mode]: geo.mode, [names.countries]: geo.countries },
    submit: (values) =>
      change({ geo: { mode: values[names.mode], countries: [...values[names.countries]] } }),
  })
  const isAllow = form.values[names.mode] === 'allow'
  const isNone = form.values[names.countries].length === 0
  return (
    <FormCard
      form={form}
      permission={permission}
      fields={Object.values(names)}
      title="Countries"
      description="By the country of the number, not of its calling code: +1 has 25 of them. Email addresses have none and always pass."
    >
      <Choice
        label="Which countries codes go to"
        className="sm:grid-cols-2"
        value={form.values[names.mode]}
        options={modes}
        onChange={(mode) => form.set(names.mode, mode)}
      />
      <CountryChips
        label={isAllow ? 'Allowed countries' : 'Blocked countries'}
        whenNone={isAllow ? 'None yet.' : 'None: every country is open.'}
        value={form.values[names.countries]}
        onChange={(countries) => form.set(names.countries, countries)}
        problem={form.problem(names.countries)}
        isFixed={!permission.may}
      />
      {isAllow && isNone && <Notice tone="warn" title="With an empty list no phone number gets a code." />}
    </FormCard>
  )
}
