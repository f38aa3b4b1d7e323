import type { Role } from '@countersign/contract'
import { inviteBody } from '@countersign/contract/bodies'
import { useState } from 'react'
import { DialogForm } from '#components/form/dialog-form.tsx'
import { ChoiceField, TextField } from '#components/form/fields.tsx'
import { Button } from '#components/ui/button.tsx'
import { CopyField } from '#components/ui/copy.tsx'
import { Dialog } from '#components/ui/dialog.tsx'
import { FieldGroup } from '#components/ui/field.tsx'
import { roles } from '#contract'
import type { AnswerOf } from '#lib/client.ts'
import { emailProblems } from '#lib/form/addresses.ts'
import { against } from '#lib/form/problems.ts'
import { givenText } from '#lib/form/typed.ts'
import { useForm } from '#lib/form/use-form.ts'
import { formatDate } from '#lib/format.ts'
import { usePermission } from '#lib/session.ts'
import { useOpened } from '#lib/use-opened.ts'
import { useInvite, useMembers } from '../api/members.ts'
import { roleHints, roleLabels } from '../lib/role-words.ts'

export function InviteDialog({ companyId }: { readonly companyId: string }) {
  const [isOpen, setOpen] = useOpened('invite')
  const { data: team, isPending } = useMembers(companyId)
  const isFirst = team?.members.length === 0 && team.invitations.length === 0
  return (
    <Dialog isOpen={isOpen && !isPending} onOpenChange={setOpen} title="Invite a person">
      <Invite companyId={companyId} role={isFirst ? 'owner' : 'developer'} onClose={() => setOpen(false)} />
    </Dialog>
  )
}

interface InviteProps {
  readonly companyId: string
  /** The role that is chosen at first. */
  readonly role: Role
  readonly onClose: () => void
}

function Invite({ companyId, role, onClose }: InviteProps) {
  const [made, setMade] = useState<AnswerOf<'inviteMember'> | null>(null)
  if (!made) return <InviteForm companyId={companyId} role={role} onClose={onClose} onMade={setMade} />
  return (
    <div className="flex flex-col gap-4">
      <p className="text-sm">
        {made.email} is invited as {roleLabels[made.role].toLowerCase()}, until {formatDate(made.expires_at)}.{' '}
        {made.mailed
          ? 'An email tells them where to sign in. You can also send them the address yourself.'
          : 'No email could be sent, so please send them this address. They sign in there with their email address.'}
      </p>
      <CopyField label="Where they sign in" text={made.url} />
      <Button variant="primary" onClick={onClose} className="self-end">
        Done
      </Button>
    </div>
  )
}

interface InviteFormProps extends InviteProps {
  readonly onMade: (invitation: AnswerOf<'inviteMember'>) => void
}

const notAnAddress = { path: 'email', message: 'is not an email address that codes can be sent to' }

function InviteForm({ companyId, role: firstRole, onClose, onMade }: InviteFormProps) {
  const invite = useInvite()
  const { reason } = usePermission(companyId, 'owner')
  const form = useForm({
    initial: { email: '', role: firstRole },
    body: ({ email, role }) => ({ email: givenText(email), role, mail: true }),
    check: (body) => [...against(inviteBody)(body), ...emailProblems('email', body.email ?? '')],
    submit: async ({ email = '', ...body }) =>
      onMade(await invite.mutateAsync({ params: { company_id: companyId }, body: { ...body, email } })),
    refusals: { InvalidRecipientError: notAnAddress },
  })
  return (
    <DialogForm form={form} submit="Invite" onCancel={onClose} disabledReason={reason}>
      <TextField form={form} name="email" label="Email address" type="email" />
      <FieldGroup label="Role">
        <ChoiceField
          form={form}
          name="role"
          label="Role"
          options={roles.map((role) => ({ value: role, label: roleLabels[role], text: roleHints[role] }))}
        />
      </FieldGroup>
    </DialogForm>
  )
}
