import { useRef } from 'react'
import { Button } from '#components/ui/button.tsx'
import { Field } from '#components/ui/field.tsx'
import { Input, TextArea } from '#components/ui/input.tsx'
import { Switch } from '#components/ui/switch.tsx'
import { cx } from '#lib/classes.ts'
import { sayProblem } from '#lib/form/problems.ts'
import { useField } from '#lib/form/use-field.ts'
import type { Form } from '#lib/form/use-form.ts'
import type { Lint } from '../api/lint.ts'
import type { Draft, TextValues } from '../lib/draft.ts'
import type { MessageChannel } from '../search.ts'

interface TextFieldsProps {
  readonly form: Form<TextValues>
  readonly channel: MessageChannel
  readonly locale: string
  readonly draft: Draft
  /** What the linter says while it is written. */
  readonly problems: Lint['problems']
}

export function TextFields({ form, channel, locale, draft, problems }: TextFieldsProps) {
  const at = `messages.${channel}.${locale}` as const
  const html = useField(form, `${at}.html`)
  return (
    <>
      {channel === 'email' && <SubjectField {...{ form, problems }} name={`${at}.subject`} />}
      <MessageField {...{ form, problems }} name={`${at}.text`} isLong={channel === 'email'} />
      {channel === 'email' && (
        <Switch
          label="Custom HTML"
          hint="When off, the HTML is made from the text, with the code in large print. A paragraph that contains only {code} is shown large."
          isOn={draft.html !== null}
          onChange={(isOn) => html.set(isOn ? '' : null)}
        />
      )}
      {channel === 'email' && draft.html !== null && (
        <HtmlField {...{ form, problems }} name={`${at}.html`} />
      )}
    </>
  )
}

interface PartProps<Part extends keyof Draft> {
  readonly form: Form<TextValues>
  readonly name: `messages.${MessageChannel}.${string}.${Part}`
  readonly problems: Lint['problems']
}

/** The problem at a field: what the service refused, else what the linter says. */
const problemAt = (problems: Lint['problems'], path: string, refused: string | undefined) =>
  (refused && sayProblem('It', refused)) ??
  (problems
    .filter((problem) => problem.path === path && problem.level === 'error')
    .map(({ message }) => message)
    .join(' ') ||
    undefined)

function SubjectField({ form, name, problems }: PartProps<'subject'>) {
  const { value, set, problem } = useField(form, name)
  return (
    <div>
      <Field label="Subject" problem={problemAt(problems, 'subject', problem)}>
        {(control) => (
          <Input
            {...control}
            dir="auto"
            spellCheck
            value={value}
            onChange={(event) => set(event.target.value)}
          />
        )}
      </Field>
      <Warnings problems={problems} path="subject" />
    </div>
  )
}

function HtmlField({ form, name, problems }: PartProps<'html'>) {
  const { value, set, problem } = useField(form, name)
  return (
    <div>
      <Field
        label="HTML"
        problem={problemAt(problems, 'html', problem)}
        hint="Use inline styles. The preview shows neither style sheets nor remote images."
      >
        {(control) => (
          <TextArea
            {...control}
            spellCheck={false}
            className="min-h-48 font-mono"
            value={value ?? ''}
            onChange={(event) => set(event.target.value)}
          />
        )}
      </Field>
      <Warnings problems={problems} path="html" />
    </div>
  )
}

const Warnings = ({ problems, path }: Pick<TextFieldsProps, 'problems'> & { readonly path: string }) =>
  problems
    .filter((problem) => problem.path === path && problem.level === 'warning')
    .map(({ message }) => (
      <p key={message} role="status" className="mt-1 text-xs font-medium text-warn">
        {message}
      </p>
    ))

const placeholders = ['{code}', '{app}', '{minutes}'] as const

interface MessageFieldProps extends PartProps<'text'> {
  readonly isLong: boolean
}

function MessageField({ form, name, problems, isLong }: MessageFieldProps) {
  const { value, set, problem } = useField(form, name)
  const area = useRef<HTMLTextAreaElement>(null)
  const insert = (placeholder: string) => {
    const { selectionStart: start = value.length, selectionEnd: end = value.length } = area.current ?? {}
    set(value.slice(0, start) + placeholder + value.slice(end))
    area.current?.focus()
  }
  return (
    <div className="flex flex-col gap-1.5">
      <Field
        label="Text"
        problem={problemAt(problems, 'text', problem) ?? problemAt(problems, 'locale', undefined)}
      >
        {(control) => (
          <TextArea
            {...control}
            ref={area}
            dir="auto"
            className={cx('leading-relaxed', isLong ? 'min-h-48' : 'min-h-24')}
            value={value}
            onChange={(event) => set(event.target.value)}
          />
        )}
      </Field>
      <Warnings problems={problems} path="text" />
      <div className="flex flex-wrap items-center gap-1.5 text-xs text-muted">
        Insert
        {placeholders.map((placeholder) => (
          <Button
            key={placeholder}
            size="sm"
            aria-label={`Insert ${placeholder}`}
            className="font-mono text-xs"
            onClick={() => insert(placeholder)}
          >
            {placeholder}
          </Button>
        ))}
      </div>
    </div>
  )
}
