import type { AppAnswer } from '@countersign/contract'
import { Choice } from '#components/ui/choice.tsx'
import { FormCard } from '#components/ui/form-card.tsx'
import { useMayChangeApp } from '#lib/app.ts'
import { useForm } from '#lib/use-form.ts'
import { useSettingsChange } from '#lib/use-settings-change.ts'

const options = [
  { value: 'limit', label: 'Limit them', text: 'They get half of what other recipients may have.' },
  { value: 'refuse', label: 'Refuse them', text: 'A send to one is refused as an invalid recipient.' },
  { value: 'allow', label: 'Treat them as any other', text: 'No difference is made.' },
] as const

export function EmailCard({ app }: { readonly app: AppAnswer }) {
  const save = useSettingsChange(app.app_id, { says: 'Disposable addresses saved', problems: 'form' })
  const form = useForm({ initial: { disposable_email: app.disposable_email }, submit: save })
  return (
    <FormCard
      form={form}
      title="Disposable email addresses"
      description="Some services give addresses away for an hour, for signing up without being known."
      permission={useMayChangeApp(app.app_id)}
      fields={['disposable_email']}
    >
      <Choice
        label="What to do with them"
        value={form.values.disposable_email}
        options={options}
        onChange={(value) => form.set('disposable_email', value)}
        className="max-w-xl"
      />
    </FormCard>
  )
}
