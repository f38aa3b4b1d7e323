import type { AppAnswer } from '@countersign/contract'
import { SwitchField, TextField } from '#components/form/fields.tsx'
import { FormCard } from '#components/form/form-card.tsx'
import { useMayChangeApp } from '#lib/app.ts'
import { useSettingsForm } from '#lib/form/use-settings-form.ts'
import { settingLabels } from '#lib/setting-labels.ts'

const trim = (text: string) => text.trim()

export function ProofCard({ app }: { readonly app: AppAnswer }) {
  const { enabled, audience } = app.proof
  const form = useSettingsForm(app, {
    initial: { proof: { enabled, audience: audience ?? '' } },
    change: ({ proof }) => ({ proof: { enabled: proof.enabled, audience: proof.audience || null } }),
    says: 'Proof settings saved',
  })
  return (
    <FormCard
      form={form}
      permission={useMayChangeApp(app.app_id)}
      title={settingLabels.proof}
      description="A correct code is answered with a signed token that any service can check with the published keys, for five minutes, without calling this one."
    >
      <div className="grid max-w-2xl items-start gap-4 sm:grid-cols-2">
        <SwitchField form={form} name="proof.enabled" label={settingLabels['proof.enabled']} />
        <TextField
          form={form}
          name="proof.audience"
          label={settingLabels['proof.audience']}
          isOptional
          hint="Who the proof is for. If empty, the app’s id is used."
          placeholder="https://shop.example.com"
          tidy={trim}
        />
      </div>
    </FormCard>
  )
}
