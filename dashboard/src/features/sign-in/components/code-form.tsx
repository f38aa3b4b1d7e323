import { signInCodeBody } from '@countersign/contract/bodies'
import { TextField } from '#components/form/fields.tsx'
import { Form } from '#components/form/form.tsx'
import { Button } from '#components/ui/button.tsx'
import { against, Refused } from '#lib/form/problems.ts'
import { digitsOf } from '#lib/form/typed-number.ts'
import { useForm } from '#lib/form/use-form.ts'
import { plural } from '#lib/format.ts'
import { type CodeOperation, useEnterCode } from '../api/sign-in.ts'
import type { SentCode } from '../lib/sent-code.ts'
import { SendAgain } from './send-again.tsx'

interface CodeFormProps {
  readonly sent: SentCode
  readonly operation?: CodeOperation
  readonly submit?: string
  readonly back?: string
  readonly onDone: () => void
  readonly onBack: () => void
  /** Called when a new code was sent, which makes the one before useless. */
  readonly onSent: (sent: SentCode) => void
}

const digits = (text: string) => digitsOf(text).slice(0, 8)

export function CodeForm(props: CodeFormProps) {
  const { sent, operation = 'signInWithCode', submit = 'Sign in', back = 'Use another address' } = props
  const verify = useEnterCode(operation)
  const form = useForm({
    initial: { code: '' },
    body: ({ code }) => ({ otp_id: sent.otpId, code }),
    check: against(signInCodeBody),
    submit: async (body) => {
      const { matched, attempts_remaining } = await verify.mutateAsync({ body })
      if (matched) return props.onDone()
      form.set('code', '', { shouldValidate: false })
      throw new Refused('code', wrongCode(attempts_remaining))
    },
  })
  return (
    <Form
      form={form}
      actions={
        <>
          <div className="flex gap-2">
            <Button type="submit" variant="primary" isBusy={form.isSending} className="flex-1">
              {submit}
            </Button>
            <Button onClick={props.onBack}>{back}</Button>
          </div>
          <SendAgain
            operation={operation === 'signInWithCode' ? 'startSignIn' : 'startProof'}
            email={sent.email}
            onSent={(next) => {
              form.reset({ code: '' })
              props.onSent(next)
            }}
          />
        </>
      }
    >
      <p className="text-sm text-muted">
        We have sent a code to <span className="break-all text-ink">{sent.email}</span>. It is valid for ten
        minutes.
      </p>
      <TextField
        form={form}
        name="code"
        label="Code"
        inputMode="numeric"
        autoComplete="one-time-code"
        autoFocus
        tidy={digits}
        className="font-mono tracking-[0.3em]"
      />
    </Form>
  )
}

const wrongCode = (attemptsRemaining: number) =>
  attemptsRemaining > 0
    ? `That is not the code. You have ${plural(attemptsRemaining, 'try', 'tries')} left.`
    : 'That is not the code, and you have no tries left. Ask for a new one.'
