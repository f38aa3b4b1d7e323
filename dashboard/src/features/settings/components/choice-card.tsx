import type { AppAnswer } from '@countersign/contract'
import { ChoiceField } from '#components/form/fields.tsx'
import { FormCard } from '#components/form/form-card.tsx'
import type { ChoiceOption } from '#components/ui/choice.tsx'
import { useMayChangeApp } from '#lib/app.ts'
import { useSettingsForm } from '#lib/form/use-settings-form.ts'

type Settings = Pick<AppAnswer, 'number_check' | 'disposable_email'>

interface ChoiceCardProps {
  readonly app: AppAnswer
  readonly name: keyof Settings
  readonly title: string
  readonly description: string
  readonly label: string
  readonly options: readonly ChoiceOption<Settings[keyof Settings]>[]
  readonly says: string
}

/** A setting that is one of a few options. */
export function ChoiceCard({ app, name, title, description, label, options, says }: ChoiceCardProps) {
  const form = useSettingsForm<Settings>(app, {
    initial: { number_check: app.number_check, disposable_email: app.disposable_email },
    change: (values) => ({ [name]: values[name] }),
    says,
  })
  return (
    <FormCard form={form} title={title} description={description} permission={useMayChangeApp(app.app_id)}>
      <ChoiceField form={form} name={name} label={label} options={options} className="max-w-xl" />
    </FormCard>
  )
}
