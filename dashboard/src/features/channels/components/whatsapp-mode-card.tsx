import type { WhatsappMode } from '@countersign/contract'
import { Choice, type ChoiceOption } from '#components/ui/choice.tsx'
import { FormCard } from '#components/ui/form-card.tsx'
import { useApp, useMayChangeApp } from '#lib/app.ts'
import { useForm } from '#lib/use-form.ts'
import { useSettingsChange } from '#lib/use-settings-change.ts'
import { Chat } from './chat.tsx'

export function WhatsappModeCard({ appId }: { readonly appId: string }) {
  const app = useApp(appId)
  const permission = useMayChangeApp(appId)
  const change = useSettingsChange(appId, { says: 'The WhatsApp mode is changed.', problems: 'form' })
  const form = useForm({
    initial: { mode: app.channels.whatsapp.mode },
    submit: ({ mode }) => change({ channels: { whatsapp: { mode } } }),
  })
  return (
    <FormCard
      form={form}
      permission={permission}
      fields={[]}
      title="WhatsApp mode"
      description="Who writes first. The link modes cost nothing until somebody writes, and nobody earns on them: they are where the guard leads suspicious sends."
    >
      <Choice
        label="WhatsApp mode"
        className="lg:grid-cols-3"
        value={form.values.mode}
        onChange={(mode) => form.set('mode', mode)}
        options={modes(app.name)}
      />
    </FormCard>
  )
}

const modes = (name: string): readonly ChoiceOption<WhatsappMode>[] => [
  {
    value: 'template',
    label: 'Template',
    text: 'The code is sent at once, in a template that Meta has approved. The person copies it and types it.',
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
    text: 'Your page shows a link. The person sends the text that it has ready, the code comes back, and they type it.',
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
    label: 'Link, and done',
    text: 'Your page shows a link. The message that the person sends approves the verification: nothing comes back, nothing is typed.',
    note: (
      <Chat
        lines={[{ from: 'them', text: `I want to verify my number with ${name}. Reference: 7KQ2MX` }]}
        end="Approved"
      />
    ),
  },
]
