import { signInBody } from '@countersign/contract/bodies'
import { TextField } from '#components/form/fields.tsx'
import { Form } from '#components/form/form.tsx'
import { Button } from '#components/ui/button.tsx'
import { CodeBlock } from '#components/ui/copy.tsx'
import { ApiError } from '#lib/api-error.ts'
import { against } from '#lib/form/problems.ts'
import { givenText } from '#lib/form/typed.ts'
import { useForm } from '#lib/form/use-form.ts'
import { useStartSignIn } from '../api/sign-in.ts'
import type { SentCode } from '../lib/sent-code.ts'

interface EmailFormProps {
  /** The email address that was typed before. */
  readonly email: string
  readonly onSent: (sent: SentCode) => void
}

export function EmailForm({ email, onSent }: EmailFormProps) {
  const start = useStartSignIn()
  const form = useForm({
    initial: { email },
    body: (values) => ({ email: givenText(values.email) }),
    check: against(signInBody),
    submit: async ({ email: given = '' }) => {
      const { otp_id } = await start.mutateAsync({ body: { email: given } })
      onSent({ otpId: otp_id, email: given })
    },
    refusals: {
      InvalidRecipientError: { path: 'email', message: 'cannot receive codes' },
    },
  })
  const error = form.refusal?.error
  const cannotMail = error instanceof ApiError && error.type === 'NoEnabledChannelError'
  return (
    <Form
      form={form}
      {...(cannotMail ? { refusal: <NoEmail email={form.values.email} /> } : {})}
      actions={
        <Button type="submit" variant="primary" isBusy={form.isSending}>
          Send a code
        </Button>
      }
    >
      <TextField
        form={form}
        name="email"
        label="Email address"
        hint="We will send you a code. There is no password."
        type="email"
        autoComplete="username"
        inputMode="email"
        autoFocus
      />
    </Form>
  )
}

const NoEmail = ({ email }: { readonly email: string }) => (
  <div role="alert" className="flex flex-col gap-2 text-sm">
    <p>
      This installation cannot send email yet. Its operator can create a one-time link for you on the machine
      that runs it:
    </p>
    <CodeBlock label="Terminal" code={`npm run countersign -- sign-in-link ${email.trim()}`} />
  </div>
)
