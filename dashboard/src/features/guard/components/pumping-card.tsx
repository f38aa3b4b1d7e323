import type { AppSettings } from '@countersign/contract'
import { Choice, type ChoiceOption } from '#components/ui/choice.tsx'
import { CountryChips } from '#components/ui/country-chips.tsx'
import { FormCard } from '#components/ui/form-card.tsx'
import { useApp, useMayChangeApp } from '#lib/app.ts'
import { useForm } from '#lib/use-form.ts'
import { useSettingsChange } from '#lib/use-settings-change.ts'
import { SafePrefixes } from './safe-prefixes.tsx'

type Mode = AppSettings['pumping']['mode']

const modes: readonly ChoiceOption<Mode>[] = [
  {
    value: 'auto',
    label: 'Automatic',
    text: 'Only records while the simulator carries. With a real carrier it learns what is usual first, and until then closes only an address or a small block of numbers.',
  },
  {
    value: 'enforce',
    label: 'Enforce',
    text: 'A place whose codes stay unused gets no text messages. The send goes to a WhatsApp link instead, where the app’s order has one; else it is refused for a while.',
  },
  {
    value: 'monitor',
    label: 'Monitor',
    text: 'Decides and records, and sends all the same. A week of this shows what would have happened.',
  },
  { value: 'off', label: 'Off', text: 'Nothing is watched. Bills can grow by thousands within an hour.' },
]

const names = {
  mode: 'pumping.mode',
  countries: 'pumping.declared_countries',
  prefixes: 'pumping.safe_prefixes',
} as const

interface PumpingValues {
  readonly [names.mode]: Mode
  readonly [names.countries]: readonly string[]
  readonly [names.prefixes]: readonly string[]
}

export function PumpingCard({ appId }: { readonly appId: string }) {
  const { pumping } = useApp(appId)
  const permission = useMayChangeApp(appId)
  const change = useSettingsChange(appId, { says: 'The guard against pumping is changed.', problems: 'form' })
  const form = useForm<PumpingValues>({
    initial: {
      [names.mode]: pumping.mode,
      [names.countries]: pumping.declared_countries,
      [names.prefixes]: pumping.safe_prefixes,
    },
    submit: (values) =>
      change({
        pumping: {
          mode: values[names.mode],
          declared_countries: [...values[names.countries]],
          safe_prefixes: [...values[names.prefixes]],
        },
      }),
  })
  return (
    <FormCard
      form={form}
      permission={permission}
      fields={Object.values(names)}
      title="Guard against pumping"
      description="Bots ask for codes to numbers whose operator pays them a share. The guard watches whether codes get used."
    >
      <Choice
        label="Mode"
        className="lg:grid-cols-4"
        value={form.values[names.mode]}
        options={modes}
        onChange={(mode) => form.set(names.mode, mode)}
      />
      <CountryChips
        label="Declared countries"
        hint="Where you expect new people, as at a launch. They count as familiar, so that they do not suffer from an attack elsewhere."
        whenNone="None declared."
        value={form.values[names.countries]}
        onChange={(countries) => form.set(names.countries, countries)}
        problem={form.problem(names.countries)}
        isFixed={!permission.may}
      />
      <SafePrefixes
        value={form.values[names.prefixes]}
        onChange={(prefixes) => form.set(names.prefixes, prefixes)}
        problem={form.problem(names.prefixes)}
        isFixed={!permission.may}
      />
    </FormCard>
  )
}
