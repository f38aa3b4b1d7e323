import type { AppAnswer } from '@countersign/contract'
import { Choice } from '#components/ui/choice.tsx'
import { FormCard } from '#components/ui/form-card.tsx'
import { useMayChangeApp } from '#lib/app.ts'
import { useForm } from '#lib/use-form.ts'
import { useSettingsChange } from '#lib/use-settings-change.ts'

const options = [
  {
    value: 'e164',
    label: 'Any number in E.164 form',
    text: 'A plus sign, 8 to 15 digits and a calling code that exists: fictional numbers too, for trying things out.',
  },
  { value: 'possible', label: 'Of a possible length', text: 'Its country has numbers of that length.' },
  {
    value: 'valid',
    label: 'Known to the numbering plan',
    text: 'Advised once you pay real carriers: a message to a number that nobody can have costs as much as any other.',
  },
] as const

export function NumberCard({ app }: { readonly app: AppAnswer }) {
  const save = useSettingsChange(app.app_id, { says: 'The check of numbers is saved', problems: 'form' })
  const form = useForm({ initial: { number_check: app.number_check }, submit: save })
  return (
    <FormCard
      form={form}
      title="Phone numbers"
      description="What a number must be to be sent to. Premium, toll-free and shared numbers are always refused."
      permission={useMayChangeApp(app.app_id)}
      fields={['number_check']}
    >
      <Choice
        label="Which numbers are taken"
        value={form.values.number_check}
        options={options}
        onChange={(value) => form.set('number_check', value)}
        className="max-w-xl"
      />
    </FormCard>
  )
}
