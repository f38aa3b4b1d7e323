import { Button } from '#components/ui/button.tsx'
import { CodeBlock } from '#components/ui/copy.tsx'
import { Field } from '#components/ui/field.tsx'
import { Input } from '#components/ui/input.tsx'
import { FormProblem } from '#components/ui/problem.tsx'
import { ApiError } from '#lib/api-error.ts'
import { useChange } from '#lib/use-change.ts'
import { useForm } from '#lib/use-form.ts'
import type { SentCode } from './code-form.tsx'

interface EmailFormProps {
  readonly onSent: (sent: SentCode) => void
}

export function EmailForm({ onSent }: EmailFormProps) {
  const start = useChange('startSignIn', { problems: 'form' })
  const form = useForm({
    initial: { email: '' },
    check: ({ email }) => ({ email: /.@./.test(email) ? undefined : 'Enter your email address' }),
    submit: async ({ email }) => {
      const answer = await start.mutateAsync({ body: { email: email.trim() } })
      onSent({ otpId: answer.otp_id, email: email.trim() })
    },
  })
  const refused = form.error instanceof ApiError ? form.error.type : null
  const isNotAnAddress = refused === 'InvalidRecipientError'
  return (
    <form onSubmit={form.onSubmit} noValidate className="flex flex-col gap-4">
      <Field
        label="Email address"
        hint="We send you a code. There is no password."
        problem={
          isNotAnAddress ? 'This is not an email address that codes can be sent to.' : form.problem('email')
        }
      >
        {(control) => (
          <Input
            {...control}
            type="email"
            autoComplete="username"
            inputMode="email"
            autoFocus
            value={form.values.email}
            onChange={(event) => form.set('email', event.target.value)}
          />
        )}
      </Field>
      {refused === 'NoEnabledChannelError' ? (
        <NoEmail email={form.values.email} />
      ) : (
        !isNotAnAddress && <FormProblem error={form.error} fields={['email']} />
      )}
      <Button type="submit" variant="primary" isBusy={form.isSending}>
        Send a code
      </Button>
    </form>
  )
}

const NoEmail = ({ email }: { readonly email: string }) => (
  <div role="alert" className="flex flex-col gap-2 text-sm">
    <p>
      This installation cannot send email yet. Its operator can make a one-time link for you on the machine
      that runs it:
    </p>
    <CodeBlock label="Terminal" code={`npm run countersign -- sign-in-link ${email.trim()}`} />
  </div>
)
