import type { WhatsappMode } from '@countersign/contract'
import { ChoiceField } from '#components/form/fields.tsx'
import { FormCard } from '#components/form/form-card.tsx'
import type { ChoiceOption } from '#components/ui/choice.tsx'
import { useApp, useMayChangeApp } from '#lib/app.ts'
import { useSettingsForm } from '#lib/form/use-settings-form.ts'
import { settingLabels } from '#lib/setting-labels.ts'
import { Chat } from './chat.tsx'

export function WhatsappModeCard({ appId }: { readonly appId: string }) {
  const app = useApp(appId)
  const permission = useMayChangeApp(appId)
  const form = useSettingsForm(app, {
    initial: { channels: { whatsapp: { mode: app.channels.whatsapp.mode } } },
    change: (values) => values,
    says: 'WhatsApp mode saved',
  })
  return (
    <FormCard
      form={form}
      permission={permission}
      title={settingLabels['channels.whatsapp.mode']}
      description="Who writes first. The link modes cost nothing until somebody writes, and fraudsters cannot profit from them, so the guard moves suspicious sends there."
    >
      <ChoiceField
        form={form}
        name="channels.whatsapp.mode"
        label={settingLabels['channels.whatsapp.mode']}
        className="lg:grid-cols-3"
        options={modes(app.name)}
      />
    </FormCard>
  )
}

const modes = (name: string): readonly ChoiceOption<WhatsappMode>[] => [
  {
    value: 'template',
    label: 'Template',
    text: 'The code is sent at once, in a template approved by Meta. The person copies it and enters it.',
    note: (
      <Chat
        lines={[
          { from: 'us', text: '123456 is your verification code.' },
          { from: 'us', text: 'Copy code', isButton: true },
        ]}
      />
    ),
  },
  {
    value: 'link_code',
    label: 'Link, then a code',
    text: 'Your page shows a link. The person sends its prepared text, gets the code back, and enters it.',
    note: (
      <Chat
        lines={[
          { from: 'them', text: `I want to verify my number with ${name}. Reference: 7KQ2MX` },
          { from: 'us', text: `123456 is your ${name} code.` },
        ]}
      />
    ),
  },
  {
    value: 'link_inbound',
    label: 'Link only',
    text: 'Your page shows a link. The message that the person sends approves the verification. There is no code.',
    note: (
      <Chat
        lines={[{ from: 'them', text: `I want to verify my number with ${name}. Reference: 7KQ2MX` }]}
        end="Approved"
      />
    ),
  },
]
