import { useRef, useState } from 'react'
import { Button } from '#components/ui/button.tsx'
import { Field } from '#components/ui/field.tsx'
import { Input } from '#components/ui/input.tsx'
import { FormProblem } from '#components/ui/problem.tsx'
import { plural } from '#lib/format.ts'
import { useChange } from '#lib/use-change.ts'
import { useForm } from '#lib/use-form.ts'

export interface SentCode {
  readonly otpId: string
  readonly email: string
}

interface CodeFormProps {
  readonly sent: SentCode
  /** To begin a session, or to prove oneself in the one there is. */
  readonly operation?: 'signInWithCode' | 'proveWithCode'
  readonly submit?: string
  readonly back?: string
  readonly onDone: () => void
  readonly onBack: () => void
}

export function CodeForm(props: CodeFormProps) {
  const {
    sent,
    operation = 'signInWithCode',
    submit = 'Sign in',
    back = 'Start again',
    onDone,
    onBack,
  } = props
  const verify = useChange(operation, { problems: 'form' })
  const [wrong, setWrong] = useState<string | null>(null)
  const input = useRef<HTMLInputElement>(null)
  const form = useForm({
    initial: { code: '' },
    check: ({ code }) => ({ code: /^\d{4,8}$/.test(code) ? undefined : 'Enter the digits of the code' }),
    submit: async ({ code }) => {
      setWrong(null)
      const { matched, attempts_remaining } = await verify.mutateAsync({ body: { otp_id: sent.otpId, code } })
      if (matched) return onDone()
      form.reset({ code: '' })
      input.current?.focus()
      setWrong(
        attempts_remaining > 0
          ? `That is not the code. ${plural(attempts_remaining, 'try', 'tries')} left.`
          : 'That is not the code, and there are no tries left. Ask for a new one.',
      )
    },
  })
  return (
    <form onSubmit={form.onSubmit} noValidate className="flex flex-col gap-4">
      <p className="text-sm text-muted">
        A code is on its way to <span className="text-ink">{sent.email}</span>. It is good for ten minutes.
      </p>
      <Field label="Code" problem={wrong ?? form.problem('code')}>
        {(control) => (
          <Input
            {...control}
            ref={input}
            inputMode="numeric"
            autoComplete="one-time-code"
            autoFocus
            maxLength={8}
            value={form.values.code}
            onChange={(event) => form.set('code', event.target.value.replace(/\D/g, ''))}
            className="font-mono tracking-[0.3em]"
          />
        )}
      </Field>
      <FormProblem error={form.error} fields={['code']} />
      <div className="flex gap-2">
        <Button type="submit" variant="primary" isBusy={form.isSending} className="flex-1">
          {submit}
        </Button>
        <Button onClick={onBack}>{back}</Button>
      </div>
    </form>
  )
}
