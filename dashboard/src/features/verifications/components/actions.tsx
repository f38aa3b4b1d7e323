import type { ChannelName, VerificationDetail } from '@countersign/contract'
import Ellipsis from 'lucide-react/icons/ellipsis'
import { useState } from 'react'
import { Button } from '#components/ui/button.tsx'
import { Question } from '#components/ui/confirm.tsx'
import { Menu, MenuItem, MenuLabel, MenuSeparator } from '#components/ui/menu.tsx'
import { exceptionQuestions } from '#components/verifications/exception.tsx'
import { channelNames } from '#contract'
import { useApp } from '#lib/app.ts'
import { channelLabels } from '#lib/format.ts'
import { usePermission } from '#lib/session.ts'
import { useHelp } from '../api/help.ts'

type Asked = 'cancel' | 'erase' | 'block' | 'allow'

/** What can be done for the person, shown to those who may do it. */
export function Actions({ verification }: { readonly verification: VerificationDetail }) {
  const { company_id: companyId } = useApp(verification.app_id)
  const developer = usePermission(companyId, 'developer')
  const owner = usePermission(companyId, 'owner')
  const [asked, setAsked] = useState<Asked | null>(null)
  const help = useHelp(verification, companyId)
  if (!developer.may) return null
  const isPending = verification.status === 'pending'
  const isErased = verification.masked_recipient === '****'
  return (
    <>
      <Menu
        align="end"
        trigger={
          <Button>
            Actions <Ellipsis aria-hidden="true" />
          </Button>
        }
      >
        {isPending && (
          <>
            <SendAgain verification={verification} onSend={help.resend} />
            <MenuItem onSelect={() => setAsked('cancel')}>Cancel this verification…</MenuItem>
            <MenuSeparator />
          </>
        )}
        <MenuLabel>The recipient</MenuLabel>
        {verification.exception && (
          <MenuItem onSelect={help.lift}>
            {verification.exception.kind === 'blocked' ? 'Lift the block' : 'Remove the exception'}
          </MenuItem>
        )}
        {verification.exception?.kind !== 'allowed' && (
          <MenuItem disabled={isErased} onSelect={() => setAsked('allow')}>
            Allow past the guard for a day…
          </MenuItem>
        )}
        {verification.exception?.kind !== 'blocked' && (
          <MenuItem disabled={isErased} onSelect={() => setAsked('block')}>
            Block…
          </MenuItem>
        )}
        {owner.may && (
          <MenuItem disabled={isErased} onSelect={() => setAsked('erase')}>
            Erase…
          </MenuItem>
        )}
      </Menu>
      {asked && <Ask asked={asked} help={help} onClose={() => setAsked(null)} />}
    </>
  )
}

interface SendAgainProps {
  readonly verification: VerificationDetail
  readonly onSend: (channel: ChannelName | null) => void
}

/** Without a named channel, a person with a link would only get the same link again. */
function SendAgain({ verification, onSend }: SendAgainProps) {
  const { recipient_type: type, sends_remaining: left, action_url: link } = verification
  if (left === 0) return null
  const channels = channelNames.filter((name) => (name === 'email') === (type === 'email'))
  return (
    <>
      <MenuLabel>Send the code again</MenuLabel>
      {link === null && <MenuItem onSelect={() => onSend(null)}>On the next channel</MenuItem>}
      {channels.map((name) => (
        <MenuItem key={name} onSelect={() => onSend(name)}>
          By {channelLabels[name]}
        </MenuItem>
      ))}
      <MenuSeparator />
    </>
  )
}

const questions = {
  cancel: {
    title: 'Cancel this verification?',
    description:
      'Its code stops working, and otp.failed is sent to your endpoint. A message that no provider has taken yet is not sent.',
    action: 'Cancel the verification',
    tone: 'danger',
  },
  erase: {
    title: 'Erase this recipient?',
    description:
      'Everything stored about this person is deleted at once, in all apps of the company. This cannot be undone.',
    action: 'Erase permanently',
    tone: 'danger',
  },
  block: exceptionQuestions.blocked,
  allow: exceptionQuestions.allowed,
} as const

interface AskProps {
  readonly asked: Asked
  readonly help: ReturnType<typeof useHelp>
  readonly onClose: () => void
}

const Ask = ({ asked, help, onClose }: AskProps) => (
  <Question {...questions[asked]} cancel="Not now" isOpen onOpenChange={onClose} onConfirm={help[asked]} />
)
