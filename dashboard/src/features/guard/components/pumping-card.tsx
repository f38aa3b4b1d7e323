import type { AppSettings } from '@countersign/contract'
import { AmountField, ChoiceField, CountriesField, NumberField } from '#components/form/fields.tsx'
import { FormCard } from '#components/form/form-card.tsx'
import type { ChoiceOption } from '#components/ui/choice.tsx'
import { useApp, useMayChangeApp } from '#lib/app.ts'
import { givenText } from '#lib/form/typed.ts'
import { useSettingsForm } from '#lib/form/use-settings-form.ts'
import { useCurrency } from '#lib/money.ts'
import { settingLabels } from '#lib/setting-labels.ts'
import { SafePrefixes } from './safe-prefixes.tsx'

type Mode = AppSettings['pumping']['mode']

const modes: readonly ChoiceOption<Mode>[] = [
  {
    value: 'auto',
    label: 'Automatic',
    text: 'With the simulator it only records. With a real carrier it first learns what is normal, and until then blocks only single addresses or small number ranges.',
  },
  {
    value: 'enforce',
    label: 'Enforce',
    text: 'Number ranges whose codes are not used get no text messages. The send moves to a WhatsApp link if the app’s order has one; otherwise it is refused for a while.',
  },
  {
    value: 'monitor',
    label: 'Monitor',
    text: 'Decides and records, but sends anyway. A week of this shows what would have been blocked.',
  },
  { value: 'off', label: 'Off', text: 'Nothing is watched. Costs can grow by thousands within an hour.' },
]

export function PumpingCard({ appId }: { readonly appId: string }) {
  const app = useApp(appId)
  const permission = useMayChangeApp(appId)
  const currency = useCurrency()
  const { declared_conversion, learning_budget } = app.pumping
  const form = useSettingsForm(app, {
    initial: {
      pumping: {
        ...app.pumping,
        declared_conversion: declared_conversion === null ? null : Math.round(declared_conversion * 100),
        learning_budget: learning_budget ?? '',
      },
    },
    change: ({ pumping }) => ({
      pumping: {
        ...pumping,
        declared_conversion: pumping.declared_conversion === null ? null : pumping.declared_conversion / 100,
        learning_budget: givenText(pumping.learning_budget) ?? null,
      },
    }),
    says: 'Pumping guard saved',
  })
  return (
    <FormCard
      form={form}
      permission={permission}
      title={settingLabels.pumping}
      description="Bots request codes for numbers whose carrier pays them a share of the price. The guard watches whether codes are used."
    >
      <ChoiceField
        form={form}
        name="pumping.mode"
        label={settingLabels['pumping.mode']}
        className="lg:grid-cols-4"
        options={modes}
      />
      <CountriesField
        form={form}
        name="pumping.declared_countries"
        label={settingLabels['pumping.declared_countries']}
        hint="Where you expect new people, for a launch for example. They count as familiar, so an attack elsewhere does not affect them."
        whenNone="None declared."
        isFixed={!permission.may}
      />
      <div className="grid gap-4 sm:grid-cols-2">
        <NumberField
          form={form}
          name="pumping.declared_conversion"
          label={settingLabels['pumping.declared_conversion']}
          unit="%"
          isOptional
          hint="Share of new people who enter their code, if you know it. Otherwise the guard learns it."
          disabled={!permission.may}
        />
        <AmountField
          form={form}
          name="pumping.learning_budget"
          label={settingLabels['pumping.learning_budget']}
          isOptional
          className="max-w-40"
          currency={currency}
          hint="What the guard may spend in the first hour after it closes a carrier or country, on messages that show whether people are there. By default, the price of three messages."
          disabled={!permission.may}
        />
      </div>
      <SafePrefixes form={form} isFixed={!permission.may} />
    </FormCard>
  )
}
