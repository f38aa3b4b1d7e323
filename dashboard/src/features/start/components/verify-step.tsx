import { useState } from 'react'
import { Status } from '#components/ui/badge.tsx'
import { Button } from '#components/ui/button.tsx'
import { Field } from '#components/ui/field.tsx'
import { Input } from '#components/ui/input.tsx'
import { FormProblem } from '#components/ui/problem.tsx'
import { textLink } from '#components/ui/text-link.tsx'
import { digitsOf } from '#lib/form/typed-number.ts'
import { plural } from '#lib/format.ts'
import { useMe } from '#lib/session.ts'
import { useVerify } from '../api/try.ts'
import { otpIdPlaceholder } from '../lib/snippets.ts'
import { SnippetTabs } from './snippet-tabs.tsx'

interface VerifyStepProps {
  readonly secret: string | null
  /** The verification that was sent last, from this page or by a call; null before the first. */
  readonly otpId: string | null
  readonly language: string
  readonly onLanguage: (language: string) => void
}

const exampleCode = '123456'

export function VerifyStep({ secret, otpId, language, onLanguage }: VerifyStepProps) {
  const baseUrl = useMe().installation.base_url
  const [code, setCode] = useState('')
  const verify = useVerify()
  const missing = secret
    ? otpId
      ? undefined
      : 'Send a code in step 2 first.'
    : 'To check from this page, create or paste a key in step 1.'
  return (
    <div className="flex flex-col gap-4">
      <form
        className="flex flex-wrap items-end gap-2"
        onSubmit={(event) => {
          event.preventDefault()
          if (secret && otpId) verify.mutate({ key: secret, otpId, code: digitsOf(code) })
        }}
      >
        <Field label="The code that arrived" className="w-44">
          {(control) => (
            <Input
              {...control}
              inputMode="numeric"
              autoComplete="one-time-code"
              value={code}
              onChange={({ target }) => setCode(target.value)}
            />
          )}
        </Field>
        <Button type="submit" variant="primary" isBusy={verify.isPending} disabledReason={missing}>
          Check the code
        </Button>
        {missing && <p className="w-full text-xs text-muted">{missing}</p>}
      </form>
      <FormProblem error={verify.error} />
      <div role="status" className="text-sm">
        {verify.data && <Outcome matched={verify.data.matched} left={verify.data.attempts_remaining} />}
      </div>
      <SnippetTabs
        label="Language for checking"
        language={language}
        onLanguage={onLanguage}
        code={(snippet) =>
          snippet.verify({ baseUrl, secret }, otpId ?? otpIdPlaceholder, digitsOf(code) || exampleCode)
        }
      />
      <p className="text-sm text-muted">
        The answer says <code className="font-mono text-xs">matched</code>. Your backend made the call, so it
        can trust the result. All calls are in the{' '}
        <a href="/docs/reference/verification" target="_blank" rel="noreferrer" className={textLink}>
          API reference
        </a>
        .
      </p>
    </div>
  )
}

const Outcome = ({ matched, left }: { readonly matched: boolean; readonly left: number }) =>
  matched ? (
    <Status tone="good">Correct: this person is verified.</Status>
  ) : (
    <Status tone="bad">Wrong: {plural(left, 'attempt')} left.</Status>
  )
