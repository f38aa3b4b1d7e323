import type { WhatsappMode } from '@countersign/contract'
import { useState } from 'react'
import { Segmented } from '#components/ui/segmented.tsx'
import { Phone, type PhoneProps, TemplatePhone } from './phone.tsx'

interface PreviewProps extends PhoneProps {
  readonly mode: WhatsappMode
  /** Whether the person is writing a text of their own. */
  readonly isWriting: boolean
}

/** In template mode people get Meta's template; the text that is written here is used only in link mode. */
export function Preview({ mode, isWriting, ...phone }: PreviewProps) {
  const [chosen, setChosen] = useState<'template' | 'answer' | null>(null)
  if (phone.channel !== 'whatsapp' || mode !== 'template') return <Phone {...phone} />
  const shown = chosen ?? (isWriting ? 'answer' : 'template')
  return (
    <div className="flex flex-col items-center gap-3">
      <Segmented
        label="What is shown"
        value={shown}
        options={[
          ['template', 'Template'],
          ['answer', 'Answer'],
        ]}
        onChange={setChosen}
      />
      {shown === 'template' ? <TemplatePhone sender={phone.sender} /> : <Phone {...phone} />}
    </div>
  )
}
