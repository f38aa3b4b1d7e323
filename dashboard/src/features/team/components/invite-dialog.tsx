import type { Role } from '@countersign/contract'
import { useState } from 'react'
import { Button } from '#components/ui/button.tsx'
import { Choice } from '#components/ui/choice.tsx'
import { CopyField } from '#components/ui/copy.tsx'
import { Dialog, DialogActions } from '#components/ui/dialog.tsx'
import { Field, FieldGroup } from '#components/ui/field.tsx'
import { Input } from '#components/ui/input.tsx'
import { FormProblem } from '#components/ui/problem.tsx'
import { roles } from '#contract'
import { ApiError } from '#lib/api-error.ts'
import type { AnswerOf } from '#lib/client.ts'
import { formatDate } from '#lib/format.ts'
import { usePermission } from '#lib/session.ts'
import { useForm } from '#lib/use-form.ts'
import { useOpened } from '#lib/use-opened.ts'
import { roleHints, roleLabels, useInvite } from '../api/members.ts'

export function InviteDialog({ companyId }: { readonly companyId: string }) {
  const [isOpen, setOpen] = useOpened('invite')
  return (
    <Dialog isOpen={isOpen} onOpenChange={setOpen} title="Invite a person">
      <Invite companyId={companyId} onClose={() => setOpen(false)} />
    </Dialog>
  )
}

interface InviteProps {
  readonly companyId: string
  readonly onClose: () => void
}

function Invite({ companyId, onClose }: InviteProps) {
  const [made, setMade] = useState<AnswerOf<'inviteMember'> | null>(null)
  if (!made) return <InviteForm companyId={companyId} onClose={onClose} onMade={setMade} />
  return (
    <div className="flex flex-col gap-4">
      <p className="text-sm">
        {made.email} is invited as {roleLabels[made.role].toLowerCase()}, until {formatDate(made.expires_at)}.{' '}
        {made.mailed
          ? 'A mail tells them where to sign in; you can also send them the address yourself.'
          : 'No mail could be sent: send them this address yourself. They sign in there with their email address.'}
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

function InviteForm({ companyId, onClose, onMade }: InviteFormProps) {
  const invite = useInvite()
  const { reason } = usePermission(companyId, 'owner')
  const form = useForm<{ email: string; role: Role }>({
    initial: { email: '', role: 'developer' },
    check: ({ email }) => ({ email: /.@./.test(email) ? undefined : 'Enter their email address' }),
    submit: async ({ email, role }) =>
      onMade(
        await invite.mutateAsync({
          params: { company_id: companyId },
          body: { email: email.trim(), role, mail: true },
        }),
      ),
  })
  const isNotAnAddress = form.error instanceof ApiError && form.error.type === 'InvalidRecipientError'
  return (
    <form onSubmit={form.onSubmit} noValidate className="flex flex-col gap-4">
      <Field
        label="Email address"
        problem={
          isNotAnAddress ? 'This is not an email address that codes can be sent to.' : form.problem('email')
        }
      >
        {(control) => (
          <Input
            {...control}
            type="email"
            autoFocus
            value={form.values.email}
            onChange={(event) => form.set('email', event.target.value)}
          />
        )}
      </Field>
      <FieldGroup label="Role">
        <Choice
          label="Role"
          value={form.values.role}
          options={roles.map((role) => ({ value: role, label: roleLabels[role], text: roleHints[role] }))}
          onChange={(role) => form.set('role', role)}
        />
      </FieldGroup>
      {!isNotAnAddress && <FormProblem error={form.error} fields={['email', 'role']} />}
      <DialogActions submit="Invite" isSending={form.isSending} onCancel={onClose} disabledReason={reason} />
    </form>
  )
}
